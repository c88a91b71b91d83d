"""One module per engine: names, types and results are converted to those of clustermark."""
