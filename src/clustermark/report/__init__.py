"""An evaluation shown: as text, in documents, as charts and as a page."""
