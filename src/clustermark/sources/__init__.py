"""Sources of labels: files, frames, connections and lists of pairs; and the choice of the engine that reads them."""
