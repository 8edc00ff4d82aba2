# Areas under ROC curves, their variances, tests and coordinates by pROC: Rscript proc.R writes proc.json.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "json.R"))
suppressMessages(library(pROC))

curve <- function(y, s) roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)

partial <- function(r, from, to, focus) {
  # pROC speaks of specificity; a range of FPR is the mirrored range of specificity
  range <- if (focus == "fpr") c(1 - from, 1 - to) else c(to, from)
  area <- function(correct) try_or_null(as.numeric(
    auc(r, partial.auc = range, partial.auc.focus = if (focus == "fpr") "sp" else "se", partial.auc.correct = correct)))
  list(focus = focus, from = from, to = to, raw = area(FALSE), corrected = area(TRUE))
}

partials <- function(r) list(
  partial(r, 0, 0.1, "fpr"), partial(r, 0, 0.2, "fpr"), partial(r, 0.1, 0.5, "fpr"), partial(r, 0, 1, "fpr"),
  partial(r, 0.8, 1, "tpr"), partial(r, 0.9, 1, "tpr"), partial(r, 0.3, 0.7, "tpr"))

points_at <- function(r, thresholds) {
  got <- coords(r, thresholds, input = "threshold", transpose = FALSE, ret = c(
    "threshold", "tp", "fp", "fn", "tn", "sensitivity", "specificity"))
  lapply(seq_len(nrow(got)), function(i) as.list(got[i, ]))
}

one <- function(y, s) {
  r <- curve(y, s)
  limits <- try_or_null(as.numeric(ci.auc(r, method = "delong")))
  limits90 <- try_or_null(as.numeric(ci.auc(r, method = "delong", conf.level = 0.9)))
  cuts <- unique(as.numeric(quantile(s, c(0, 0.2, 0.5, 0.8, 1), type = 1)))
  list(auc = as.numeric(auc(r)), var = try_or_null(as.numeric(var(r))),
       low = limits[1], high = limits[3], low90 = limits90[1], high90 = limits90[3],
       partial = partials(r), coords = points_at(r, cuts))
}

pair <- function(y, a, b) {
  ra <- curve(y, a); rb <- curve(y, b)
  paired <- try_or_null(roc.test(ra, rb, method = "delong", paired = TRUE))
  greater <- try_or_null(roc.test(ra, rb, method = "delong", paired = TRUE, alternative = "greater"))
  unpaired <- try_or_null(roc.test(ra, rb, method = "delong", paired = FALSE))
  number <- function(x) if (is.null(x)) NULL else as.numeric(x)
  list(cov = try_or_null(as.numeric(cov(ra, rb))),
       z = number(paired$statistic), p = number(paired$p.value), p_greater = number(greater$p.value),
       low = number(paired$conf.int[1]), high = number(paired$conf.int[2]),
       unpaired_d = number(unpaired$statistic), unpaired_df = number(unpaired$parameter),
       unpaired_p = number(unpaired$p.value))
}

data(aSAH)
outcome <- as.numeric(aSAH$outcome == "Poor")
columns <- list(s100b = aSAH$s100b, ndka = aSAH$ndka, wfns = as.numeric(aSAH$wfns))
asah <- list(outcome = outcome, s100b = columns$s100b, ndka = columns$ndka, wfns = columns$wfns,
  curves = lapply(columns, function(s) one(outcome, s)),
  pairs = list(
    c(list(first = "s100b", second = "ndka"), pair(outcome, columns$s100b, columns$ndka)),
    c(list(first = "s100b", second = "wfns"), pair(outcome, columns$s100b, columns$wfns)),
    c(list(first = "ndka", second = "wfns"), pair(outcome, columns$ndka, columns$wfns))))

set.seed(20261115, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
scores <- function(kind, y) {
  n <- length(y)
  switch(kind,
    continuous = round(rnorm(n) + 0.9 * y, 4),
    ties = floor(4 * runif(n) + 1.2 * y),
    heavy = sample(0:1, n, TRUE) + y * sample(0:1, n, TRUE),
    perfect = y + round(runif(n) * 0.9, 3),
    near = ifelse(runif(n) < 0.03, 1 - y, y) + round(runif(n) * 0.9, 3),
    inverted = round(rnorm(n) - 1.1 * y, 3),
    constant = rep(0.5, n),
    small = round((rnorm(n) + y) * 1e-9, 13),
    large = round((rnorm(n) + y) * 1e6))
}
shapes <- list(
  list("continuous", 10, 10), list("continuous", 30, 20), list("continuous", 100, 150), list("continuous", 3, 60),
  list("continuous", 60, 3), list("continuous", 2, 2), list("continuous", 1, 5), list("continuous", 5, 1),
  list("continuous", 1, 1), list("continuous", 2, 40), list("ties", 10, 10), list("ties", 30, 20),
  list("ties", 100, 150), list("ties", 3, 60), list("ties", 2, 3), list("ties", 50, 50), list("heavy", 10, 10),
  list("heavy", 40, 25), list("heavy", 4, 80), list("heavy", 3, 3), list("perfect", 10, 10), list("perfect", 2, 2),
  list("perfect", 3, 50), list("perfect", 1, 1), list("near", 20, 20), list("near", 80, 60), list("near", 10, 100),
  list("inverted", 10, 10), list("inverted", 40, 30), list("inverted", 5, 50), list("constant", 6, 7),
  list("constant", 2, 2), list("small", 20, 25), list("small", 8, 90), list("large", 20, 25), list("large", 90, 8),
  list("continuous", 200, 10), list("ties", 200, 10), list("near", 200, 10), list("heavy", 150, 150))
random <- lapply(shapes, function(shape) {
  y <- sample(rep(c(1, 0), c(shape[[2]], shape[[3]])))
  a <- scores(shape[[1]], y)
  b <- scores(if (shape[[1]] %in% c("perfect", "constant")) "continuous" else shape[[1]], y)
  c(list(kind = shape[[1]], y = vec(y), a = vec(a), b = vec(b), first = one(y, a), second = one(y, b)),
    list(pair = pair(y, a, b)))
})

freeze("proc", list(package = paste("pROC", packageVersion("pROC")), asah = asah, random = random))
