# Symmetry and margins of k x k tables, and Cochran's Q: Rscript classes.R writes classes.json.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "json.R"))
suppressPackageStartupMessages(library(coin))
set.seed(20261117, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")

squares <- lapply(seq_len(40), function(i) {
  k <- 2 + (i - 1) %% 5
  cells <- matrix(rpois(k * k, 4) + 1, k) + diag(rpois(k, 30), k)
  named <- as.table(matrix(cells, k, dimnames = list(a = letters[1:k], b = letters[1:k])))
  symmetry <- mcnemar.test(cells, correct = FALSE)
  margins <- mh_test(named)
  list(k = k, cells = as.numeric(t(cells)),
    bowker = as.numeric(symmetry$statistic), bowker_df = as.numeric(symmetry$parameter), bowker_p = symmetry$p.value,
    margins = as.numeric(statistic(margins)), margins_df = k - 1, margins_p = as.numeric(pvalue(margins)))
})

answers <- lapply(list(c(20, 3), c(50, 4), c(200, 2), c(30, 6), c(400, 3)), function(x) {
  right <- matrix(as.numeric(runif(x[1] * x[2]) < rep(seq(0.6, 0.8, length.out = x[2]), each = x[1])), x[1])
  test <- friedman.test(right)
  list(cases = x[1], models = x[2], right = as.numeric(t(right)), q = as.numeric(test$statistic), p = test$p.value)
})

freeze("classes", list(squares = squares, answers = answers, coin = as.character(packageVersion("coin"))))
