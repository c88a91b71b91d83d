"""Was a change right? Pairs are drawn for people to judge, and their answers become estimates with intervals."""
