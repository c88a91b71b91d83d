// native_tests [SUBJECT]: runs the tests of test_SUBJECT.cpp, or all.
#include <exception>
#include <iostream>
#include <string>

#include "check.hpp"

int main(int count, char** arguments) {
    const std::string file = count > 1 ? "test_" + std::string(arguments[1]) + ".cpp" : ".cpp";
    int run = 0;
    for (const check::Test& test : check::tests()) {
        if (!test.file.ends_with(file)) continue;
        ++run;
        const int before = check::failures();
        try {
            test.run();
        } catch (const std::exception& error) {
            check::fail(test.file.c_str(), 0, std::string("throws: ") + error.what());
        } catch (...) {
            check::fail(test.file.c_str(), 0, "throws");
        }
        if (check::failures() != before) std::cerr << "FAILED " << test.name << "\n";
    }
    std::cout << run << " tests, " << check::failures() << " failed checks\n";
    return run == 0 || check::failures() > 0 ? 1 : 0;
}
