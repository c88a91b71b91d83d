"""Labels on a GPU: arrays read in place, and counted by kernels that are compiled on first use."""
