import java.io.*;
import java.util.*;

/** All ships of every planet to the nearest of the rival's, in the contest's protocol. */
public class Rage {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        List<String[]> planets = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("P ")) {
                planets.add(line.split(" "));
            } else if (line.equals("go")) {
                answer(planets);
                planets.clear();
            }
        }
    }

    static void answer(List<String[]> planets) {
        StringBuilder out = new StringBuilder();
        for (int source = 0; source < planets.size(); source++) {
            String[] home = planets.get(source);
            int best = -1;
            double nearest = 1e9;
            for (int k = 0; k < planets.size(); k++) {
                String[] other = planets.get(k);
                double across = number(home, 1) - number(other, 1), up = number(home, 2) - number(other, 2);
                double turns = Math.ceil(Math.sqrt(across * across + up * up));
                if (other[3].equals("2") && turns < nearest) {
                    nearest = turns;
                    best = k;
                }
            }
            boolean many = number(home, 4) >= 10 * number(home, 5);
            if (home[3].equals("1") && best >= 0 && many) {
                out.append(source).append(' ').append(best).append(' ').append(home[4]).append('\n');
            }
        }
        System.out.print(out + "go\n");
        System.out.flush();
    }

    static double number(String[] words, int k) {
        return Double.parseDouble(words[k]);
    }
}
