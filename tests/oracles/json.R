# Writes R values as JSON with 17 significant digits, so that doubles come back bit for bit; NA, NaN, Inf are null.
as_json <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    parts <- vapply(x, as_json, "")
    if (is.null(names(x))) return(paste0("[", paste(parts, collapse = ",\n"), "]"))
    return(paste0("{", paste0('"', names(x), '": ', parts, collapse = ", "), "}"))
  }
  parts <- if (is.character(x)) paste0('"', x, '"')
    else if (is.logical(x)) ifelse(is.na(x), "null", tolower(as.character(x)))
    else ifelse(is.finite(x), sprintf("%.17g", x), "null")
  if (length(x) == 1 && is.null(attr(x, "vector"))) return(parts)
  paste0("[", paste(parts, collapse = ", "), "]")
}

# a vector that stays one in JSON even when it has a single element
vec <- function(x) structure(as.numeric(x), vector = TRUE)

freeze <- function(name, value) {
  value$made_with <- R.version.string
  writeLines(as_json(value), file.path(folder, paste0(name, ".json")))
}

# NULL where R refuses or only warns that the answer means nothing
try_or_null <- function(expression) tryCatch(suppressWarnings(suppressMessages(expression)), error = function(e) NULL)

folder <- local({
  script <- grep("^--file=", commandArgs(FALSE), value = TRUE)
  if (length(script)) dirname(sub("^--file=", "", script[1])) else "."
})
