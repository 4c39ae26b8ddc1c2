import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests that run the commands of `docs/operations.md` exactly as printed there.
@Suite(.timeLimit(.minutes(5)))
struct OperationsPageTests {
    /// A command of the page, with the strings that its output must contain.
    struct Step {
        let command: String
        var expected: [String] = []
    }

    private func steps() throws -> [Step] {
        let page = try String(contentsOfFile: ProjectFolder.path + "/docs/operations.md", encoding: .utf8)
        var steps: [Step] = []
        var isConsole = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isConsole = line == "```console"
            } else if isConsole, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isConsole, !line.isEmpty {
                steps[steps.count - 1].expected.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return steps
    }

    /// Creates scripts that replace system programs, and returns their folder.
    ///
    /// The scripts start, stop and reload the daemon as systemd does, but in the folders of the test.
    private func system(_ machine: Machine) throws -> String {
        let folder = machine.folder.path("bin")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let daemon = ([BuiltProgram("tokenbrokerd").url.path] + machine.arguments).map { "'\($0)'" }.joined(
            separator: " "
        )
        let pid = machine.folder.path("pid")
        let systemctl = """
            #!/bin/bash
            set -eu
            case "$1 $2" in
            "start tokenbroker.service")
                # A waiting caller waits until no process has this script's descriptors.
                (
                    for file in /proc/self/fd/*; do
                        number=${file##*/}; [ "$number" -le 2 ] || eval "exec $number>&-"
                    done
                    exec \(daemon) >>'\(machine.folder.path("log"))' 2>&1 </dev/null
                ) & echo $! >'\(pid)'
                timeout 60 bash -c 'until tokenbroker status >/dev/null 2>&1; do :; done' ;;
            "stop tokenbroker.service")
                kill -TERM $(cat '\(pid)'); timeout 60 tail --pid=$(cat '\(pid)') -f /dev/null ;;
            "reload tokenbroker.service")
                kill -HUP $(cat '\(pid)')
                timeout 60 bash -c "until grep -q 'configuration reloaded' '\(machine.folder.path("log"))'; do :; done" ;;
            *) echo "no such unit: $*" >&2; exit 5 ;;
            esac
            """
        try systemctl.write(toFile: folder + "/systemctl", atomically: true, encoding: .utf8)
        let tokenbroker = "#!/bin/bash\nexec '\(BuiltProgram("tokenbroker").url.path)' \"$@\"\n"
        try tokenbroker.write(toFile: folder + "/tokenbroker", atomically: true, encoding: .utf8)
        for name in ["systemctl", "tokenbroker"] { chmod(folder + "/" + name, 0o755) }
        return folder
    }

    @Test("every command of the operations page does what the page says") func page() throws {
        let machine = try Machine()
        let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
            .replacingOccurrences(of: "level: debug", with: "level: info")
        try text.write(toFile: machine.configuration, atomically: true, encoding: .utf8)
        let programs = try system(machine)
        let own = machine.folder.path("own")
        // The commands on the page use default paths, which the test replaces with its own.
        let places = [
            ("http://localhost:8420", machine.base), ("/etc/tokenbroker/tokenbrokerd.yaml", machine.configuration),
            ("/tmp/authority.backup", machine.folder.path("authority.backup")),
            ("tokenbroker restore ", "tokenbroker restore --state-directory \(machine.state) "),
            (
                "tokenbroker doctor",
                "tokenbroker doctor --config \(machine.configuration) --policies \(machine.policies) "
                    + "--state-directory \(machine.state)"
            ),
        ]
        var environment = machine.environment
        environment["PATH"] = programs + ":/usr/bin:/bin"
        environment["HOME"] = own
        func run(_ command: String) throws -> BuiltProgram.Outcome {
            try BuiltProgram(path: "/bin/bash").run(["-c", "set -euo pipefail; " + command], environment: environment)
        }
        let started = try run("systemctl start tokenbroker.service")
        #expect(started.status == 0, "\(started.errors)")
        defer { _ = try? run("systemctl stop tokenbroker.service") }
        let ann = Person(email: "ann@example.org", name: "Ann")
        try ann.signUp(machine.connect(), on: machine)
        // Carl is an operator, and stays signed in while the commands disable Ann.
        try Person(email: "carl@example.org", name: "Carl").signUp(machine.connect(), on: machine)
        let steps = try steps()
        #expect(steps.count > 20)
        for step in steps {
            // The restore has ended all sessions. In a per-user daemon, only a user who has just entered a password is
            // an operator.
            if step.command.hasPrefix("curl"), step.command.contains("readyz") {
                #expect(try ann.signIn(machine.connect()) == "accepted")
            }
            let command = places.reduce(step.command) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
            let outcome = try run(command)
            #expect(outcome.status == 0, "\(command): \(outcome.status) \(outcome.errors)")
            for (line, place) in step.expected.flatMap({ line in places.map { (line, $0) } })
            where place.0 == places[0].0 {
                let expected = places.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
                #expect(words(outcome.output).contains(words(expected)), "\(command): \(outcome.output)")
            }
            if command.hasPrefix("tokenbroker user disable --undo") {
                #expect(try ann.signIn(machine.connect()) == "accepted")
            }
        }
        #expect(try String(contentsOfFile: machine.configuration, encoding: .utf8).contains("level: debug"))
        _ = try machine.connect().refusal("no.such.method")
        let log = try String(contentsOfFile: machine.folder.path("log"), encoding: .utf8)
        #expect(log.contains("debug"), "a reload has changed the level of the log")
    }

    /// Returns the text with single spaces, since the width of columns depends on their content.
    private func words(_ text: String) -> String {
        text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    @Test("the dashboard uses only existing metrics") func dashboard() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        _ = try person.token(connection)
        _ = try person.token(connection)
        _ = try connection.refusal("flow.get", ["flow": "fl_none"])
        // The metrics of the first request are in the response to the second request.
        _ = try await WebAnswer.to(.GET, machine.base + "/metrics", token: nil)
        let page = try await WebAnswer.to(.GET, machine.base + "/metrics", token: nil)
        #expect(page.status == 200)
        let tasksd = try machine.startTasks()
        let tables = try await WebAnswer.to(.GET, machine.api + "/metrics", token: nil)
        #expect(tables.status == 200)
        let names = Set(
            (page.text + tables.text).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
                $0.prefix { $0 != "{" && $0 != " " }
            }
        )
        let file = try Data(contentsOf: URL(fileURLWithPath: ProjectFolder.path + "/docs/dashboard.json"))
        let dashboard = try StrictJSON.parse(Array(file))
        let expressions = (dashboard["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }.compactMap {
            $0["expr"]?.string
        }
        #expect(expressions.count > 20)
        // The first row of the dashboard shows the four most important numbers.
        let first = (dashboard["panels"]?.array ?? []).filter { $0["gridPos"]?["y"]?.int == 0 }
        #expect(first.compactMap { $0["type"]?.string } == ["stat", "stat", "stat", "stat"])
        #expect(Set(first.compactMap { $0["gridPos"]?["x"]?.int }) == [0, 6, 12, 18])
        let titles = (dashboard["panels"]?.array ?? []).map { $0["title"]?.string ?? "" }
        #expect(!titles.contains("") && Set(titles).count == titles.count && dashboard["title"] == "Tokenbroker")
        // These metrics appear only after a first failure.
        let rare: Set = [
            "store_errors_total", "housekeeping_failures_total", "configuration_reloads_total",
            "tables_refusals_total",
        ]
        for expression in expressions {
            let words = expression.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            let metrics = words.filter { $0.contains("_") && $0 != "histogram_quantile" }
            #expect(!metrics.isEmpty, "\(expression)")
            for metric in metrics where !rare.contains(metric) {
                #expect(names.contains(Substring(metric)), "\(metric)")
            }
        }
        tasksd.signal(SIGTERM)
        tasksd.wait()
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("each method, refusal and policy is counted, with a bounded number of labels") func bounded()
        async throws
    {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let document = try connection.call("rpc.discover")
        let methods = (document["methods"]?.array ?? []).compactMap { $0["name"]?.string }
        #expect(methods.count > 30)
        for method in methods { _ = try? connection.call(method, ["correlationId": "no"]) }
        for number in 0..<50 { _ = try connection.refusal("made.up.\(number)") }
        for number in 0..<20 { _ = try? connection.refusal("policy.get", ["policy": "b2c_1_made_up_\(number)"]) }
        let page = try await WebAnswer.to(.GET, machine.base + "/metrics", token: nil).text
        for method in methods { #expect(page.contains("broker_calls_total{method=\"\(method)\""), "\(method)") }
        #expect(page.contains("broker_calls_total{method=\"unknown\",outcome=\"malformed\"} 50"))
        #expect(!page.contains("made"), "no value from a caller is a label")
        #expect(!page.contains(person.email))
        #expect(page.contains("broker_refusals_total{reason=\"unknown_policy\"} 20"))
        #expect(page.contains("authority_events_total{event=\"account.created\",policy=\"b2c_1_sign_up\"} 1"))
        #expect(page.contains("mail_deliveries_total{outcome=\"delivered\"} 1"))
        #expect(page.contains("metrics_dropped_total 0"))
        daemon.signal(SIGTERM)
        daemon.wait()
    }
}
