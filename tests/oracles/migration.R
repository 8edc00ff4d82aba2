# The left cells of the tables on docs/migration/proc.md and rocr.md, run as they stand: Rscript migration.R writes
# migration_r.json. What is random is left out (null), and so is what only draws.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])), "json.R"))
suppressMessages({library(pROC); library(ROCR)})

cases <- read.csv(file.path(folder, "migration.csv"))
y <- response <- cases$y
s <- s1 <- predictor <- cases$s
s2 <- cases$s2
yk <- factor(cases$yk)
P <- as.matrix(cases[c("a", "b", "c")])
curve <- function(score) suppressMessages(roc(y, score, levels = c(0, 1), direction = "<"))
r <- r1 <- curve(s)
r2 <- curve(s2)
p <- prediction(s, y)

# one number for each thing that a reader would compare
numbers <- function(x) {
  if (inherits(x, "ci.auc")) return(vec(as.numeric(x)[c(1, 3)]))
  if (inherits(x, "smooth.roc") || inherits(x, "multiclass.auc")) return(vec(as.numeric(x$auc)))
  if (inherits(x, "mv.multiclass.roc")) return(vec(as.numeric(x$auc)))
  if (inherits(x, "roc")) return(vec(sort(x$sensitivities)))
  if (inherits(x, "power.htest")) return(vec(c(x$ncases, x$ncontrols)))
  if (inherits(x, "htest")) return(vec(c(as.numeric(x$statistic), x$p.value)))
  if (is.data.frame(x)) return(vec(c(t(as.matrix(x[c("specificity", "sensitivity")])))))
  if (isS4(x) && is(x, "performance"))
    return(vec(if (x@y.name == "Explicit cost") min(x@y.values[[1]]) else x@y.values[[1]]))
  if (isS4(x) && is(x, "prediction")) return(vec(c(x@n.pos[[1]], x@n.neg[[1]])))
  vec(as.numeric(x))
}

left_cells <- function(page) {
  lines <- readLines(file.path(folder, "..", "..", "docs", "migration", page))
  others <- grep("^\\| precrec ", lines)  # no package of Debian: its rows are not run
  rows <- grep("^\\| `", head(lines, if (length(others)) others else length(lines)), value = TRUE)
  sub("^\\| `([^`]*)`.*", "\\1", rows)
}

run <- function(cell) {
  if (grepl("bootstrap|venkatraman|^ci\\.se|of = |^plot", cell)) return(NULL)
  numbers(suppressWarnings(suppressMessages(eval(parse(text = cell)))))
}

frozen <- function(page) {
  cells <- left_cells(page)
  values <- lapply(cells, run)
  lapply(seq_along(cells), function(i) list(there = gsub('"', '\\\\"', cells[i]), numbers = values[[i]]))
}

value <- list(pROC = as.character(packageVersion("pROC")), ROCR = as.character(packageVersion("ROCR")))
for (page in c("proc.md", "rocr.md"))
  value[[sub("\\.md", "", page)]] <- frozen(page)
freeze("migration_r", value)
