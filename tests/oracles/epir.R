# Likelihood ratios and the odds ratio by epiR: Rscript epir.R writes epir.json.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "json.R"))
suppressMessages(library(epiR))

cells <- list(c(7, 7, 3, 13), c(100, 50, 20, 400), c(1, 2, 3, 4), c(670, 202, 74, 640), c(12, 1, 1, 30), c(30, 70, 60, 40))
tables <- unlist(recursive = FALSE, lapply(cells, function(x) lapply(c(0.9, 0.95), function(level) {
  got <- epi.tests(x, method = "wilson", conf.level = level)$detail
  row <- function(name) as.numeric(unlist(got[got$statistic == name, c("est", "lower", "upper")]))
  list(tp = x[1], fp = x[2], fn = x[3], tn = x[4], level = level, sensitivity = row("se"), specificity = row("sp"),
    ppv = row("pv.pos"), npv = row("pv.neg"), accuracy = row("diag.ac"), lr_positive = row("lr.pos"),
    lr_negative = row("lr.neg"), odds_ratio = row("diag.or"))
})))

freeze("epir", list(package = paste("epiR", packageVersion("epiR")), tables = tables))
