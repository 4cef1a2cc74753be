// All ships of every planet to the nearest of the rival's, in the contest's protocol.
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Planet {
    double x, y;
    int owner, ships, growth;
};

void answer(const std::vector<Planet>& planets) {
    for (size_t source = 0; source < planets.size(); source++) {
        const Planet& home = planets[source];
        if (home.owner != 1 || home.ships < 10 * home.growth) continue;
        int best = -1;
        double nearest = 1e9;
        for (size_t k = 0; k < planets.size(); k++) {
            double turns = std::ceil(std::hypot(home.x - planets[k].x, home.y - planets[k].y));
            if (planets[k].owner == 2 && turns < nearest) {
                nearest = turns;
                best = static_cast<int>(k);
            }
        }
        if (best >= 0) std::cout << source << " " << best << " " << home.ships << "\n";
    }
    std::cout << "go" << std::endl;
}

int main() {
    std::vector<Planet> planets;
    for (std::string line; std::getline(std::cin, line);) {
        if (line[0] == 'P') {
            Planet one;
            std::istringstream words(line.substr(2));
            words >> one.x >> one.y >> one.owner >> one.ships >> one.growth;
            planets.push_back(one);
        } else if (line == "go") {
            answer(planets);
            planets.clear();
        }
    }
}
