// The left cells of Weka's table on docs/migration/weka-orange.md, run as they stand:
//   java -cp weka.jar:mtj.jar:core.jar:arpack_combined.jar Migration.java        (the jars are those of python-weka-wrapper3)
// prints a line of JSON for each, which `migration.py` writes to migration_python.json.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import weka.classifiers.CostMatrix;
import weka.classifiers.evaluation.Evaluation;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instances;

public class Migration {
  public static void main(String[] files) throws Exception {
    List<String> lines = Files.readAllLines(Path.of(files[0]));
    ArrayList<Attribute> attributes = new ArrayList<>(List.of(new Attribute("class", new ArrayList<>(List.of("0", "1")))));
    Instances cases = new Instances("cases", attributes, 0);
    cases.setClassIndex(0);
    CostMatrix costs = new CostMatrix(2);
    costs.setElement(0, 1, 1.0);
    costs.setElement(1, 0, 5.0);
    for (String line : lines.subList(1, lines.size()))
      cases.add(new DenseInstance(1.0, new double[] {Double.parseDouble(line.split(",")[0])}));
    Evaluation eval = new Evaluation(cases, costs);
    for (int i = 0; i < cases.numInstances(); i++) {
      double s = Double.parseDouble(lines.get(i + 1).split(",")[1]);
      eval.evaluateModelOnceAndRecordPrediction(new double[] {1 - s, s}, cases.instance(i));
    }
    for (String line : Files.readAllLines(Path.of(files[1]))) {
      Matcher cell = Pattern.compile("^\\| `(eval\\.(\\w+)\\((\\d?)\\))`.*").matcher(line);
      if (!cell.matches()) continue;
      Object found = cell.group(3).isEmpty()
          ? Evaluation.class.getMethod(cell.group(2)).invoke(eval)
          : Evaluation.class.getMethod(cell.group(2), int.class).invoke(eval, Integer.parseInt(cell.group(3)));
      System.out.println("{\"there\": \"" + cell.group(1) + "\", \"numbers\": [" + found + "]}");
    }
  }
}
