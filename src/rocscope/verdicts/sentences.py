"""Every sentence of a verdict: the condition under which it is stated, and its template.

A part of the verdict is a list of groups; of each group, the first rule whose condition holds is stated. The slots of a
template are properties of the findings that the condition looks at. Grades of certainty: a choice is *settled* when
the interval of every difference that decides excludes 0, *leaning* when it is not settled and the recommended model is
the best in at least 80 % of resamples, *open* otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rocscope.record import record
from rocscope.verdicts.placeholders import slots_of, statement

Group = tuple["Rule", ...]
PARTS = ("headline", "evidence", "doubt", "caveats", "next_steps")


@record(slots=True)
class Rule:
    """A sentence: its name, its template, and the condition under which it is true."""

    name: str
    template: str
    when: Callable[[Any], Any]

    def stated(self, findings: Any) -> dict[str, Any]:
        """The statement that the rule makes about the findings."""
        return statement(self.name, self.template, {slot: getattr(findings, slot) for slot in slots_of(self.template)})


def stated(groups: Sequence[Group], findings: Any) -> Iterator[dict[str, Any]]:
    """The first true sentence of each group."""
    for group in groups:
        rule = next((rule for rule in group if rule.when(findings)), None)
        if rule is not None:
            yield rule.stated(findings)


# ---- one binary classifier, or several on the same cases ----

SCORED: Mapping[str, Sequence[Group]] = MappingProxyType({
    "headline": (
        (
            Rule("one_case", "The only {unit} is {present}: the separation of the classes cannot be assessed.",
                 lambda f: not f.both and f.cases == 1),
            Rule("one_class", "All {cases:count} {units} are {present}: how well the classes are separated cannot be "
                 "assessed.", lambda f: not f.both),
            Rule("reversed", "The ranking is reversed: AUC {auc:estimate}. If lower scores indicate the positive "
                 "class, state this; nothing was reversed automatically.", lambda f: f.reversed and not f.points),
            Rule("no_costs", "All costs are 0: every threshold costs the same.", lambda f: f.by_cost and f.free),
            Rule("flag_none", "Recommended: flag none of the {units}. At these costs no other choice is cheaper.",
                 lambda f: f.chosen and f.by_cost and f.flags_none),
            Rule("flag_all", "Recommended: flag all {units}. At these costs no other choice is cheaper.",
                 lambda f: f.chosen and f.by_cost and f.flags_all),
            Rule("capacity_none_model", "Recommended: {model:model}. At this capacity it flags none of the {units}, "
                 "because the number of {units} with its highest score exceeds the capacity.",
                 lambda f: f.capacity and f.several and not f.points),
            Rule("capacity_none", "Recommended: flag none of the {units}. The number of {units} with the highest "
                 "score exceeds the capacity.", lambda f: f.capacity and not f.points),
            Rule("rule_none_model", "Recommended: {model:model}. By the given rule it flags none of the {units}.",
                 lambda f: f.none_by_rule and f.several and not f.points),
            Rule("rule_none", "Recommended: flag none of the {units}. By the given rule no other choice is better.",
                 lambda f: f.none_by_rule and not f.points),
            Rule("model_at", "Recommended: {model:model} at threshold {threshold:threshold}.",
                 lambda f: f.several and f.chosen and not f.points),
            Rule("model_proposed", "Recommended: {model:model}, AUC {auc:estimate}. Proposed threshold: "
                 "{proposed:threshold}, the maximum of Youden's J.",
                 lambda f: f.several and not f.points and not f.given and f.discriminates and f.youden is not None),
            Rule("model_only", "Recommended: {model:model}.", lambda f: f.several),
            Rule("point_only", "Recommended: use it rather than flag all or none of the {units}.",
                 lambda f: bool(f.points)),
            Rule("given", "Results at the given threshold {threshold:threshold}.", lambda f: f.given),
            Rule("threshold_only", "Recommended: threshold {threshold:threshold}.", lambda f: f.chosen),
            Rule("proposed", "AUC {auc:estimate}. Proposed threshold: {proposed:threshold}, the maximum of Youden's J.",
                 lambda f: f.discriminates and f.youden is not None),
            Rule("chance", "AUC {auc:estimate}: no evidence that the scores rank better than chance.",
                 lambda f: f.auc is not None and not f.discriminates),
            Rule("plain", "Results at threshold {threshold:threshold}.", lambda f: True),
        ),
    ),
    "evidence": (
        (
            Rule("undefined", "The AUC needs both classes; {defined} and accuracy at a threshold do not.",
                 lambda f: not f.both),
            Rule("default_threshold", "No threshold was given; results are shown for the default threshold 0.5.",
                 lambda f: not f.given and not f.asked and f.point["chosen"] == "not chosen"),
            Rule("youden_threshold", "No threshold was given; results are shown for {threshold:threshold}, the "
                 "maximum of Youden's J on these {units}.", lambda f: not f.given and not f.asked),
        ),
        (Rule("positive_label", "The positive class was assumed to be {label}.", lambda f: not f.both),),
        (
            Rule("case_cost_corrected", "With the costs of each {unit}, the estimated cost is **{cost:cost}** per "
                 "1,000 {units}, corrected for choosing on these data: {total_cost:cost} for {cases:count} {units}.",
                 lambda f: f.both and f.by_case and f.corrected),
            Rule("case_cost", "With the costs of each {unit}, the estimated cost is **{cost:cost}** per 1,000 "
                 "{units}: {total_cost:cost} for {cases:count} {units}.", lambda f: f.both and f.by_case),
            Rule("cost_corrected", "If a miss costs {ratio:alarms} and {share:percent} of the {units} are {positive}, "
                 "the estimated cost is **{cost:cost}** per 1,000 {units}, corrected for choosing on these data.",
                 lambda f: f.both and f.priced and f.ratio is not None and f.corrected and not f.points),
            Rule("cost_exact", "If a miss costs {ratio:alarms} and {share:percent} of the {units} are {positive}, the "
                 "cost is **{cost:cost}** per 1,000 {units}. It is exact at this prevalence.",
                 lambda f: f.both and f.priced and f.ratio is not None and f.exact_cost),
            Rule("cost", "If a miss costs {ratio:alarms} and {share:percent} of the {units} are {positive}, the "
                 "estimated cost is **{cost:cost}** per 1,000 {units}.",
                 lambda f: f.both and f.priced and f.ratio is not None),
            Rule("cost_general", "If {costs} and {share:percent} of the {units} are {positive}, the estimated cost is "
                 "**{cost:cost}** per 1,000 {units}.", lambda f: f.both and f.priced and not f.free),
            Rule("frequencies_corrected", "Per {per:count} {units}, corrected for choosing on these data: "
                 "{found:true_positives}, {missed:count} missed and {alarms:false_alarms}.",
                 lambda f: f.both and not f.priced and f.corrected),
            Rule("frequencies", "Per {per:count} {units}: {found:true_positives}, {missed:count} missed and "
                 "{alarms:false_alarms}.", lambda f: f.both and not f.priced),
        ),
        (
            Rule("cost_of_both", "Flagging none costs {cost_of_none:whole}; the default threshold 0.5 costs "
                 "{cost_at_default:whole}.",
                 lambda f: f.both and (f.by_case or (f.priced and not f.free)) and f.cost_at_default is not None),
            Rule("cost_of_none", "Flagging none costs {cost_of_none:whole}.",
                 lambda f: f.both and (f.by_case or (f.priced and not f.free)) and f.cost_of_none is not None),
        ),
        (
            Rule("rates_corrected", "It finds **{recall:percent}** of the {positive} {units}; **{precision:percent}** "
                 "of the {units} it flags are {positive}. Both shares are corrected for selection.",
                 lambda f: f.both and f.precision is not None and f.corrected),
            Rule("rates", "It finds **{recall:percent}** of the {positive} {units}; **{precision:percent}** of the "
                 "{units} it flags are {positive}.", lambda f: f.both and f.precision is not None),
        ),
        (
            Rule("referral_not_worth_it", "Referring {units} at this price does not pay off; a single threshold "
                 "costs no more.",
                 lambda f: f.both and f.one_threshold and f.referral["cost"] is not None),
            Rule("none_referred", "No {unit} has to be referred: one threshold meets both requirements.",
                 lambda f: f.both and f.one_threshold),
            Rule("referred", "With two thresholds, the share of {units} referred is {referred:estimate}.",
                 lambda f: f.both and f.referral),
        ),
    ),
    "doubt": (
        (
            Rule("unknown", "**Not known:** {points}.", lambda f: bool(f.points)),
            Rule("settled_cost_apparent", "**Settled:** its apparent advantage over {other:model}, the closest model, "
                 "is {advantage:cost} per 1,000.",
                 lambda f: f.grade == "settled" and f.decides == "cost" and f.corrected),
            Rule("settled_cost", "**Settled:** its advantage over {other:model}, the closest model, is "
                 "{advantage:cost} per 1,000.", lambda f: f.grade == "settled" and f.decides == "cost"),
            Rule("settled_measure", "**Settled:** its advantage over {other:model}, the closest model, in {what} is "
                 "{advantage:estimate}.", lambda f: f.grade == "settled" and f.measure),
            Rule("settled_auc", "**Settled:** its advantage over {other:model}, the closest model, in AUC is "
                 "{advantage:estimate}.", lambda f: f.grade == "settled"),
            Rule("alike_but", "{model:model} and {other:model} **rank all {units} in the same order:** AUC and "
                 "everything else computed from the ranking are the same. The two models differ in {unlike}.",
                 lambda f: f.alike and f.unlike),
            Rule("alike", "{model:model} and {other:model} **rank all {units} in the same order:** AUC and "
                 "everything else computed from the ranking are the same.", lambda f: f.alike),
            Rule("equal", "{other:model} does equally well on these {units}.",
                 lambda f: f.grade and f.rival["value"] == 0),
            Rule("unsettled_cost_apparent", "Its apparent advantage over {other:model} is {advantage:cost} per 1,000: "
                 "not statistically settled; more data could reverse it.",
                 lambda f: f.grade and f.decides == "cost" and f.corrected),
            Rule("unsettled_cost", "Its advantage over {other:model} is {advantage:cost} per 1,000: not statistically "
                 "settled; more data could reverse it.", lambda f: f.grade and f.decides == "cost"),
            Rule("unsettled_measure", "Its advantage over {other:model} in {what} is {advantage:estimate}: not "
                 "statistically settled; more data could reverse it.", lambda f: f.grade and f.measure),
            Rule("unsettled_auc", "Its advantage over {other:model} in AUC is {advantage:estimate}: not statistically "
                 "settled; more data could reverse it.", lambda f: bool(f.grade)),
            Rule("untested", "Differences in cost are not tested {untested}.",
                 lambda f: f.several and f.both and f.prices is not None),
        ),
        (
            Rule("settled_elsewhere", "It is settled for AUC, but not for {what}.",
                 lambda f: f.grade in ("leaning", "open") and f.measure and f.settled_in_auc),
        ),
        (
            Rule("resampled", "**{certainty}:** it is the best in {best_share:percent} of resamples.",
                 lambda f: not f.points and not f.alike and f.grade in ("leaning", "open")
                 and f.best_share is not None),
        ),
        (
            Rule("auc_of_model", "{model:model} has an AUC of **{auc:estimate}**.",
                 lambda f: f.several and f.both and f.auc is not None and not f.reversed and not f.points
                 and (f.given or f.chosen or not f.discriminates or f.youden is None)),
            Rule("auc", "AUC **{auc:estimate}**.",
                 lambda f: f.both and f.auc is not None and not f.reversed and not f.points and (f.given or f.chosen)),
        ),
        (Rule("certified", "The area is certified to within {bound:rough}.", lambda f: f.both and f.bound),),
        (
            Rule("threshold_range", "The data do not rule out thresholds from {low:significant} to {high:significant} "
                 "as the cheapest.", lambda f: f.both and f.low is not None and f.low != f.high),
        ),
    ),
    "caveats": (
        (
            Rule("higher_auc", "**AUC favors another model:** {higher:model} has the higher AUC ({higher_auc} against "
                 "{lower_auc}) but costs more here; it is the cheapest only once a miss costs more than {turn:alarms}.",
                 lambda f: f.several and f.both and f.higher and f.priced and f.turn is not None and not f.points),
            Rule("higher_auc_only", "**AUC favors another model:** {higher:model} has the higher AUC ({higher_auc} "
                 "against {lower_auc}) but costs more here.",
                 lambda f: f.several and f.both and f.higher and f.priced and not f.points),
            Rule("higher_auc_measure", "**AUC favors another model:** {higher:model} has the higher AUC ({higher_auc} "
                 "against {lower_auc}); here {what} decides.",
                 lambda f: f.several and f.both and f.higher and f.measure),
        ),
        (
            Rule("dominated", "{dominated:names}: not the cheapest at any cost ratio in this sample.",
                 lambda f: f.several and f.both and f.dominated),
        ),
        (
            Rule("one_point", "**One point each:** the AUC is computed from a single point, (TPR + TNR) / 2.",
                 lambda f: bool(f.points)),
        ),
    ),
    "remarks": (  # caveats that follow those of the data
        (
            Rule("corrected", "**The threshold was chosen on these same {units}:** its cost and measures are "
                 "corrected for selection; the matrix and curves show the uncorrected (apparent) counts.",
                 lambda f: f.both and f.point["optimistic"] and f.corrected and not f.points),
            Rule("uncorrected", "**The threshold was chosen on these same {units}** ({uncorrected}).",
                 lambda f: f.both and f.point["optimistic"] and f.uncorrected and not f.points),
            Rule("optimistic", "**The threshold was chosen on these same {units}:** expect somewhat worse results on "
                 "new ones.", lambda f: f.both and f.point["optimistic"] and not f.points),
        ),
        (
            Rule("chosen_in_sample", "**The threshold was chosen at the prevalence of the sample,** "
                 "{sample_share:percent}; cost and measures are for {share:percent}, where the same rule could choose "
                 "another threshold.",
                 lambda f: f.both and f.in_sample and not f.points),
        ),
        (
            Rule("unstable_choice", "**The choice of the threshold is unstable:** {seldom_defined}.",
                 lambda f: f.both and f.corrected and f.seldom_defined and not f.points),
        ),
        (
            Rule("too_extreme", "**Predictions are too extreme:** calibration slope {slope:estimate}; 1 is ideal.",
                 lambda f: f.both and f.slope is not None and f.slope["high"] < 1),
            Rule("too_moderate", "**Predictions are too moderate:** calibration slope {slope:estimate}; 1 is ideal.",
                 lambda f: f.both and f.slope is not None and f.slope["low"] > 1),
        ),
        (
            Rule("too_high", "**Predictions are too high on average:** calibration in the large "
                 "{in_the_large:estimate}; 0 is ideal.",
                 lambda f: f.both and f.in_the_large is not None and f.in_the_large["high"] < 0),
            Rule("too_low", "**Predictions are too low on average:** calibration in the large "
                 "{in_the_large:estimate}; 0 is ideal.",
                 lambda f: f.both and f.in_the_large is not None and f.in_the_large["low"] > 0),
        ),
        (
            Rule("tied", "Thresholds {thresholds:names} do equally well.",
                 lambda f: f.both and f.point["tied"] and len(f.thresholds) > 1 and not f.points),
        ),
    ),
    "next_steps": (
        (
            Rule("give_costs", "State the cost of a miss to get the cheapest threshold: the one for equal costs is no "
                 "longer the cheapest once a miss costs more than {equal_turn:alarms}.",
                 lambda f: f.both and f.prices is None and not f.by_case and not f.given and not f.reversed
                 and f.equal_turn),
            Rule("pays_from", "Flagging some {units} is cheaper once a miss costs more than **{pays_from:alarms}**.",
                 lambda f: f.both and not f.several and f.ratio and f.by_cost and f.flags_none and f.pays_from),
            Rule("more_model_point", "If a miss costs more than **{more_ratio:alarms}**, the choice first changes to "
                 "{more_model:model}.",
                 lambda f: f.both and f.points and f.switch("more", model=f.several)),
            Rule("more_model", "If a miss costs more than **{more_ratio:alarms}**, the choice first changes to "
                 "{more_model:model}, at threshold {more_threshold:threshold}. The same holds if more than "
                 "{more_share:percent} of the {units} are {positive}.",
                 lambda f: f.both and f.switch("more", model=True)),
            Rule("more_threshold", "If a miss costs more than **{more_ratio:alarms}**, the choice first changes to "
                 "threshold {more_threshold:threshold}.", lambda f: f.both and f.switch("more")),
            Rule("more_all", "If a miss costs more than **{more_ratio:alarms}**, flag all {units}.",
                 lambda f: f.both and f.switch("more", point=True)),
        ),
        (
            Rule("less_model_point", "If a miss costs less than **{less_ratio:alarms}**, the choice first changes to "
                 "{less_model:model}.",
                 lambda f: f.both and f.points and f.switch("less", model=f.several)),
            Rule("less_model", "If a miss costs less than **{less_ratio:alarms}**, the choice first changes to "
                 "{less_model:model}, at threshold {less_threshold:threshold}.",
                 lambda f: f.both and f.switch("less", model=True)),
            Rule("less_threshold", "If a miss costs less than **{less_ratio:alarms}**, the choice first changes to "
                 "threshold {less_threshold:threshold}.", lambda f: f.both and f.switch("less")),
            Rule("less_none", "If a miss costs less than **{less_ratio:alarms}**, flag none of the {units}.",
                 lambda f: f.both and f.switch("less", point=True)),
        ),
        (
            Rule("never", "No other model is cheaper than {model:model} at any cost ratio in this sample.",
                 lambda f: f.both and f.several and f.ratio and f.by_cost and not f.switches and not f.points),
        ),
        (
            Rule("slice", "Where {by} is {slice}, recall is {slice_recall:estimate}.",
                 lambda f: f.both and f.worst is not None),
        ),
    ),
})  # fmt: skip

# ---- caveats of the data ----

IN_TABLE: Sequence[Group] = (
    (
        Rule("one_class_data", "All cases are {present}: a ranking cannot be assessed.", lambda f: not f.both),
        Rule("separated", "**Every positive scores above every negative.** Check for leakage.", lambda f: f.auc == 1),
        Rule("reversed_data", "**The ranking is reversed:** AUC {auc:two}; in the opposite direction it would be "
             "{turned:two}. Nothing was reversed automatically.", lambda f: f.auc < 0.5),
    ),
    (
        Rule("one_score", "All cases have the same score: there is no ranking, and the AUC is 0.5.",
             lambda f: f.both and len(f.table) == 1),
        Rule("two_scores", "**Only 2 distinct scores:** the AUC is computed from a single threshold, (TPR + TNR) / "
                           "2. Supply "
             "scores rather than labels.", lambda f: f.both and len(f.table) == 2),
    ),
    (
        Rule("rare_negatives", "Only {share:percent} of the cases are negative: the rare class is the negative "
             "one. Read specificity and NPV.",
             lambda f: f.both and f.imbalanced and f.table.positives > f.table.negatives),
        Rule("rare_positives", "Only {share:percent} of the cases are positive: a good ROC curve can hide "
             "low precision. Read the precision-recall curve (average precision {ap:two}, chance {share:two}).",
             lambda f: f.both and f.imbalanced),
    ),
    (
        Rule("near_ties", "{pairs} only by rounding error (the first: {first} and {second}). They are not "
             "counted as ties.", lambda f: f.both and f.near_ties[0]),
    ),
    (Rule("few", "**Only {few}:** estimates are unstable.", lambda f: f.both and f.few),),
)  # fmt: skip

IN_COUNTS: Sequence[Group] = (
    (
        Rule("accuracy_below", "**Accuracy** is {accuracy}, less than the {baseline} of always predicting {predicts}.",
             lambda f: f.right < f.larger),
        Rule("accuracy_equal", "**Accuracy** is {accuracy}, and always predicting {predicts} also gives {baseline}. "
                               "Read "
             "precision and recall.", lambda f: f.right == f.larger),
        Rule("accuracy_above", "**Accuracy** is {accuracy}, but always predicting {predicts} gives {baseline}. Read "
             "precision and recall.", lambda f: not f.telling),
    ),
    (
        Rule("class_never_found", "No case of {neglected} is predicted correctly, which an **accuracy** of {accuracy} "
             "does not show. Read the recall of each class.", lambda f: f.neglected),
    ),
)  # fmt: skip

# ---- multiclass and validation ----

CLASSES: Mapping[str, Sequence[Group]] = MappingProxyType({
    "headline": (
        (
            Rule("class_cost", "Estimated cost {cost:cost} per 1,000 cases.", lambda f: f.cost is not None),
            Rule("accuracy_decided", "Accuracy {accuracy:estimate} over {decided:count} decided of {cases:count} "
                 "cases.", lambda f: f.decided != f.cases),
            Rule("accuracy", "Accuracy {accuracy:estimate} over {cases:count} cases.", lambda f: True),
        ),
    ),
    "evidence": (
        (Rule("class_cost_usual", "Predicting the most probable class would cost {usual:cost}; accuracy is "
              "{accuracy:estimate} over {decided:count} decided cases.", lambda f: f.usual is not None),
         Rule("class_cost_accuracy", "Accuracy is {accuracy:estimate} over {cases:count} cases.",
              lambda f: f.cost is not None)),
        (Rule("macro_f1", "The mean F1 over {classes} classes is {macro:estimate}.",
              lambda f: f.macro["value"] is not None),),
        (Rule("confused", "The most frequent error is {actual} mistaken for {predicted}: a share of {share:estimate} "
                          "of the cases of {actual}.", lambda f: f.confused is not None),),
    ),
})  # fmt: skip

LABELS: Mapping[str, Sequence[Group]] = MappingProxyType({
    "headline": (
        (
            Rule("labels_f1", "Micro F1 {micro:estimate} over {cases:count} cases and {labels} labels.",
                 lambda f: f.micro["value"] is not None),
            Rule("labels_subset", "The share of cases with all labels correct is {subset:estimate}, over "
                                  "{cases:count} cases.",
                 lambda f: True),
        ),
    ),
    "evidence": (
        (Rule("labels_all", "The share of cases with all labels correct is {subset:estimate}.",
              lambda f: f.micro["value"] is not None),),
        (Rule("labels_worst", "The label with the lowest F1 is {label}: {worst_f1:estimate}.",
              lambda f: f.worst is not None),),
    ),
})  # fmt: skip

COMPARED: Mapping[str, Sequence[Group]] = MappingProxyType({
    "headline": (
        (
            Rule("classes_settled", "Recommended: {model:model}.", lambda f: f.grade == "settled"),
            Rule("classes_alike", "{model:model} and {other:model} predict equally well here.",
                 lambda f: f.rival is not None and f.rival["value"] == 0),
            Rule("classes_lowest", "Lowest {what} on these cases: {model:model}; its advantage over {others:names} is "
                 "not statistically settled.", lambda f: f.lowest and f.others),
            Rule("classes_highest", "Highest {what} on these cases: {model:model}; its advantage over {others:names} "
                 "is not statistically settled.", lambda f: True),
        ),
    ),
    "evidence": (
        (Rule("classes_quality", "{model:model} has {what} {quality:estimate}.",
              lambda f: f.quality["value"] is not None),),
    ),
    "doubt": (
        (
            Rule("classes_settled_lead", "**Settled:** its advantage over {other:model}, the closest, in {what} is "
                 "{advantage:estimate}; {method}.",
                 lambda f: f.rival is not None and f.grade == "settled" and f.several),
            Rule("classes_lead", "Its advantage over {other:model} in {what} is {advantage:estimate}; {method}.",
                 lambda f: f.rival is not None and (f.several or f.p is None)),
            Rule("classes_two", "Its advantage over {other:model} in {what} is {advantage:estimate}, p {p:p}; "
                 "{method}.", lambda f: f.rival is not None),
        ),
        (Rule("classes_share", "It is the best in {best_share:percent} of the resamples.",
              lambda f: f.best_share is not None and f.grade != "settled"),),
    ),
    "caveats": (
        (Rule("classes_elsewhere", "In {elsewhere}, {better} is significantly better.", lambda f: f.elsewhere),),
    ),
})  # fmt: skip

VALIDATED: Mapping[str, Sequence[Group]] = MappingProxyType({
    "headline": (
        (
            Rule("validated_cost", "{model:model}: estimated cost {cost:cost} per 1,000 cases.",
                 lambda f: not f.rivals and f.priced),
            Rule("validated", "{model:model}: {what} {quality:estimate}.", lambda f: not f.rivals),
            Rule("validated_settled", "Recommended: {model:model}.", lambda f: f.grade == "settled"),
            Rule("validated_cheapest", "Lowest cost in these folds: {model:model}; its advantage over {others:names} "
                 "is not statistically settled.", lambda f: f.priced),
            Rule("validated_open", "Highest {what} in these folds: {model:model}; its advantage over {others:names} is "
                 "not statistically settled.", lambda f: not f.lowest),
            Rule("validated_open_error", "Lowest {what} in these folds: {model:model}; its advantage over "
                 "{others:names} is not statistically settled.", lambda f: True),
        ),
    ),
    "evidence": (
        (
            Rule("validated_expected", "If {costs}, {model:model} costs an estimated **{cost:cost}** per 1,000 cases, "
                 "at thresholds {decided_by}.", lambda f: f.priced),
        ),
        (
            Rule("validated_error", "{model:model} has {what} {quality:estimate} and error rate {error:estimate} over "
                 "{over}.", lambda f: f.measure != "error_rate"),
            Rule("validated_quality", "{model:model} has {what} {quality:estimate} over {over}.",
                 lambda f: True),
        ),
    ),
    "doubt": (
        (
            Rule("validated_incomparable", "Against {other:model}: {why}.",
                 lambda f: f.rivals and f.nearest["value"] is None),
            Rule("validated_posterior", "Its advantage over {other:model} in {what} is {advantage:estimate}; posterior "
                 "probabilities: {why}.", lambda f: f.rivals and not f.priced and f.method.startswith("Bayesian")),
            Rule("validated_untested", "Its advantage over {other:model} in {what} is {advantage:estimate}. It is "
                 "not tested: {why}.", lambda f: f.rivals and not f.priced and f.p is None and f.why),
            Rule("validated_saving", "Its advantage over {other:model} is {advantage:cost} per 1,000; {method}.",
                 lambda f: f.rivals and f.priced),
            Rule("validated_lead", "Its advantage over {other:model} in {what} is {advantage:estimate}, adjusted p "
                 "{p:p}; {method}.", lambda f: f.rivals and f.p is not None),
            Rule("validated_gap", "Its advantage over {other:model} in {what} is {advantage:estimate}; {method}.",
                 lambda f: f.rivals),
        ),
        (
            Rule("validated_not_in_cost", "It is settled for {elsewhere:names}, but not for cost.",
                 lambda f: f.grade in ("leaning", "open") and f.elsewhere and f.priced),
            Rule("validated_elsewhere", "It is settled for {elsewhere:names}, but not for {what}.",
                 lambda f: f.grade in ("leaning", "open") and f.elsewhere),
        ),
        (
            Rule("validated_resampled", "**{certainty}:** it is the best in {best_share:percent} of resamples of the "
                 "test cases.", lambda f: f.grade in ("leaning", "open") and f.best_share is not None),
        ),
        (
            Rule("validated_pooled", "On the pooled test cases of all folds, {first_pooled:model} ranks first; the "
            "comparison by folds decides, because the scores of different folds come from different models.",
                 lambda f: bool(f.first_pooled)),
        ),
    ),
    "next_steps": (
        (
            Rule("validated_costs", "At some cost ratios, {leaders:names} is cheaper. Give the costs of a false "
                 "alarm and of a miss.", lambda f: f.leaders and not f.priced and len(f.leaders) == 1),
            Rule("validated_costs_many", "At some cost ratios, {leaders:names} are cheaper. Give the costs of a "
                 "false alarm and of a miss.", lambda f: f.leaders and not f.priced),
            Rule("validated_never", "No other model is cheaper than {model:model} at any cost ratio in this sample.",
                 lambda f: f.leaders is not None and not f.leaders),
        ),
    ),
})  # fmt: skip

RULES: Mapping[str, Rule] = MappingProxyType({
    rule.name: rule
    for groups in (
        *SCORED.values(), IN_TABLE, IN_COUNTS, *CLASSES.values(), *LABELS.values(), *COMPARED.values(),
        *VALIDATED.values(),
    )
    for group in groups
    for rule in group
})  # fmt: skip
