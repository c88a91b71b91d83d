#!/bin/sh
# Show the main commands of clustermark. `make demo` runs this script; it writes the report to demo-report.html.
set -eu
cd "$(dirname "$0")/.."

show() {
    printf '\n$ clustermark %s\n\n' "$*"
    clustermark "$@"
}

echo "1,797 handwritten digits, clustered by k-means: one file with two columns of labels"
show score src/clustermark/data/digits.csv --true digit --pred kmeans
show errors src/clustermark/data/digits.csv --true digit --pred kmeans -k 3

printf '\n%s\n' "1,848 records of 700 companies, matched by their spelling: two files that share an id"
printf '\n$ cd examples/data/companies\n'
cd examples/data/companies
show score truth.csv by_grams.csv --on id -i pair_precision,pair_recall,b_cubed_f,cluster_recall
show errors truth.csv by_grams.csv --on id -k 3
printf '\n$ cd -\n'
cd ../../..

printf '\n%s\n' "All of it as one page, with charts"
show report src/clustermark/data/digits.csv --true digit --pred kmeans -o demo-report.html --force
printf '\n%s\n' "The report is in $PWD/demo-report.html: open it in a browser."
