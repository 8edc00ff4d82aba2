# Intervals of proportions and tests of base R: Rscript base.R writes base.json.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "json.R"))
set.seed(20261115, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")

quiet <- function(x) suppressWarnings(x)
bounds <- function(test) as.numeric(test$conf.int)

counts <- list(c(0, 1), c(1, 1), c(0, 20), c(1, 20), c(5, 20), c(7, 20), c(10, 20), c(13, 20), c(19, 20), c(20, 20),
  c(40, 50), c(3, 7), c(80, 100), c(1, 1000), c(999, 1000), c(500, 1000), c(123, 4567), c(31, 1000000))
proportions <- unlist(recursive = FALSE, lapply(counts, function(kn) lapply(c(0.8, 0.95, 0.99), function(level) {
  k <- kn[1]; n <- kn[2]; tail <- (1 - level) / 2
  list(k = k, n = n, level = level,
    clopper_pearson = bounds(binom.test(k, n, conf.level = level)),
    wilson = bounds(quiet(prop.test(k, n, conf.level = level, correct = FALSE))),
    # prop.test shrinks its correction next to its null of one half: k = n/2 is left to the other peers
    wilson_continuity = if (2 * k == n) NULL else bounds(quiet(prop.test(k, n, conf.level = level))),
    jeffreys = qbeta(c(tail, 1 - tail), k + 0.5, n - k + 0.5))
})))

two <- lapply(list(c(40, 50, 30, 50), c(7, 10, 7, 20), c(1, 30, 9, 31), c(56, 70, 48, 80), c(0, 10, 3, 12)), function(x) {
  test <- quiet(prop.test(x[c(1, 3)], x[c(2, 4)], correct = FALSE))
  list(k1 = x[1], n1 = x[2], k2 = x[3], n2 = x[4], chi2 = as.numeric(test$statistic), p = test$p.value)
})

discordant <- lapply(list(c(2, 9), c(9, 2), c(0, 5), c(5, 5), c(1, 0), c(30, 45), c(121, 59), c(15, 4), c(500, 430)), function(x) {
  square <- matrix(c(20, x[2], x[1], 30), 2)
  plain <- mcnemar.test(square, correct = FALSE); corrected <- mcnemar.test(square)
  n <- sum(x); least <- min(x)
  list(b = x[1], c = x[2], exact = binom.test(x[1], n)$p.value,
    mid_p = if (x[1] == x[2]) 1 else 2 * pbinom(least, n, 0.5) - dbinom(least, n, 0.5),
    chi2 = as.numeric(plain$statistic), chi2_p = plain$p.value,
    corrected = as.numeric(corrected$statistic), corrected_p = corrected$p.value)
})

ranked <- lapply(list(c(4, 3, 0), c(14, 4, 0), c(10, 5, 0), c(6, 2, 0), c(14, 4, 1), c(30, 6, 1), c(8, 3, 1)), function(x) {
  scores <- matrix(round(runif(x[1] * x[2]), if (x[3] == 1) 1 else 6), x[1])
  scores[, 1] <- scores[, 1] + if (x[3] == 1) 0.2 else 0.15
  test <- friedman.test(scores)
  list(rows = x[1], models = x[2], ties = x[3] == 1, scores = as.numeric(t(scores)),
    chi2 = as.numeric(test$statistic), p = test$p.value)
})

# the arguments are whole numbers over 1000, so that no rounding makes or breaks a tie
signed <- lapply(c(5, 6, 8, 12, 20, 35, 49), function(n) {
  x <- sample(1:999, n) * sample(c(-1, 1, 1), n, TRUE)
  exact <- quiet(wilcox.test(x, exact = TRUE, conf.int = TRUE))
  normal <- quiet(wilcox.test(x, exact = FALSE, correct = TRUE))
  list(x = x, v = as.numeric(exact$statistic), p = exact$p.value, p_normal = normal$p.value,
    estimate = as.numeric(exact$estimate), limits = as.numeric(exact$conf.int),
    # R gives limits even where the level cannot be reached, and hardly says so; this is what it does reach
    achieved = 1 - 2 * psignrank(max(1, qsignrank(0.025, n)) - 1, n),
    wins = sum(x > 0), sign_p = binom.test(sum(x > 0), n)$p.value)
})
signed_ties <- lapply(c(8, 15, 40, 60), function(n) {
  x <- sample(-3:6, n, TRUE)
  test <- quiet(wilcox.test(x, exact = FALSE, correct = TRUE))
  moved <- x[x != 0]
  list(x = x, v = as.numeric(test$statistic), p_normal = test$p.value,
    wins = sum(x > 0), sign_p = binom.test(sum(x > 0), length(moved))$p.value)
})

adjusted <- lapply(c(1, 2, 5, 20, 60), function(n) {
  p <- c(runif(n) ** 2)
  if (n == 20) p <- round(p, 1)
  list(p = vec(p), holm = vec(p.adjust(p, "holm")), bonferroni = vec(p.adjust(p, "bonferroni")), bh = vec(p.adjust(p, "BH")))
})

folds <- lapply(list(c(10, 1), c(10, 10), c(5, 2), c(2, 1)), function(x) {
  d <- round(rnorm(x[1] * x[2], 0.01, 0.02), 3); count <- length(d); k <- x[1]
  mean_ <- mean(d); se <- sqrt((1 / count + 1 / (k - 1)) * var(d)); t <- mean_ / se
  naive <- t.test(d)
  list(diffs = d, train = 90 * (k - 1), test = 90, t = t, p = 2 * pt(-abs(t), count - 1),
    low = mean_ - qt(0.975, count - 1) * se, high = mean_ + qt(0.975, count - 1) * se,
    naive_t = as.numeric(naive$statistic), naive_p = naive$p.value, naive_limits = bounds(naive),
    rope = 0.01, left = pt((-0.01 - mean_) / se, count - 1), right = pt((0.01 - mean_) / se, count - 1, lower.tail = FALSE))
})

ranges <- unlist(recursive = FALSE, lapply(c(2, 3, 4, 6, 10), function(k) lapply(c(0.5, 2, 3.5, 5), function(q)
  list(k = k, q = q, below = ptukey(q, k, Inf)))))

margins <- lapply(list(c(0.01, 0.008, 0.03, Inf), c(-0.02, 0.01, 0.03, 9), c(0.05, 0.01, 0.03, 20)), function(x)
  list(d = x[1], se = x[2], margin = x[3], df = x[4],
    tost = max(pt((x[1] - x[3]) / x[2], x[4]), pt((x[1] + x[3]) / x[2], x[4], lower.tail = FALSE)),
    non_inferiority = pt((x[1] + x[3]) / x[2], x[4], lower.tail = FALSE)))

freeze("base", list(proportions = proportions, two = two, discordant = discordant, ranked = ranked, signed = signed,
  signed_ties = signed_ties, adjusted = adjusted, folds = folds, ranges = ranges, margins = margins))
