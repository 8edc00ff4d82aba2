"""Parts of formulas and sentences that several declarations of measures share."""

CASES = "(tp + fp + fn + tn)"
COVARIANCE = "(tp * tn - fp * fn)"
PRODUCT = "(tp + fp) * (tp + fn) * (fp + tn) * (fn + tn)"
RECALL = "tp / (tp + fn)"
SPECIFICITY = "tn / (fp + tn)"
FALL_OUT = "fp / (fp + tn)"

# what a prediction by chance gives
MARGINS = "depends on prevalence and the share flagged"
CLASS_MARGINS = "depends on how common each class is and how often it is predicted"

# why there is no value
NO_CASES = "there are no cases"
ONE_CLASS = "there is only one class"
ONE_EACH = "all cases are of one class and predicted as one"
NOT_MET = "a class has no cases"
UNSEEN = "a class has no cases and is never predicted"
