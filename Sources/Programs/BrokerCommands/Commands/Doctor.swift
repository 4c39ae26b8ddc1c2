import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import Localization
import Moments
import OAuth
import ProgramConfiguration
import Systemd
import Terminal

struct Doctor: DaemonCommand {
    static let configuration = CommandConfiguration("doctor", "help.broker.doctor")

    @Option(help: .text("help.broker.doctor.config"), completion: .file()) var config: String?
    @Option(help: .text("help.broker.doctor.policies"), completion: .directory) var policies: String?
    @Option(help: .text("help.broker.doctor.stateDirectory"), completion: .directory) var stateDirectory: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        var findings = SocketFinding.all(connection.location.paths)
        var issuer: String?
        if connection.location.lacksRuntimeDirectory, !findings.contains(where: { $0.isUsable }) {
            findings.append(.odd(Text("cli.doctor.noRuntimeDirectory"), Text("cli.doctor.setRuntimeDirectory")))
        }
        if findings.contains(where: { $0.isUsable }) {
            findings += await daemonFindings(correlation)
            issuer = try? await connection.withBroker(correlation) { broker in
                try await broker.policies().filter { !$0.isOutside }.compactMap(\.issuer).first
            }
        }
        findings += await machineFindings(issuer)
        findings += clockFindings()
        try report(findings)
    }

    private func report(_ findings: [Finding]) throws {
        if shared.json {
            try Output.json(["findings": .array(findings.map(\.json))])
        } else {
            for finding in findings {
                try Output.line(Text(exactly: "\(finding.state.word.text): \(finding.text.text)"))
                if let advice = finding.advice {
                    try Output.line(Text(exactly: "   \(Text("cli.doctor.toDo", ["advice": advice]).text)"))
                }
            }
        }
        guard let worst = findings.first(where: { $0.state == .bad }) else { return }
        throw CommandFailure(
            worst.isUnreachable ? .unreachable : .failed,
            "unhealthy",
            worst.text,
            hint: worst.advice
        )
    }

    /// Checks the files, the disk and the ports that the daemon uses.
    private func machineFindings(_ issuer: String?) async -> [Finding] {
        let isService = SocketFinding.usable(connection.location.paths) == SocketLocation.servicePath
        let own = ProgramPaths(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
        let machine = MachineFindings(
            isService ? .service : own,
            configuration: config,
            policies: policies,
            state: stateDirectory,
            issuer: issuer,
            daemon: SocketFinding.environment(listeningAt: SocketFinding.usable(connection.location.paths))
        )
        return await machine.all()
    }

    private func daemonFindings(_ correlation: CorrelationID) async -> [Finding] {
        do {
            return try await connection.withBroker(correlation) { broker in
                let before = MomentClock.system.now
                let status = try await broker.call(BrokerStatus())
                let took = MomentClock.system.now.boot - before.boot
                let answer = Text(
                    "cli.doctor.daemonAnswers",
                    ["version": status.version, "seconds": status.uptimeMs / 1000, "took": took]
                )
                var findings = [Finding.good(answer)]
                if status.version != Version.text {
                    findings.append(
                        .odd(
                            Text("cli.doctor.otherVersion", ["daemon": status.version, "program": Version.text]),
                            Text("cli.doctor.restartDaemon")
                        )
                    )
                }
                if status.policies.isEmpty {
                    findings.append(.bad(Text("cli.doctor.noPolicy"), Text("cli.doctor.seeCheck")))
                }
                for policy in try await broker.call(PolicyList()) {
                    findings.append(
                        policy.available
                            ? .good(Text("cli.doctor.policy", ["id": "\(policy.policy)"]))
                            : .odd(Text("cli.doctor.policyIsUnavailable", ["id": "\(policy.policy)"]), policy.missing)
                    )
                }
                if status.locked {
                    return findings + [Finding.odd(Text("cli.doctor.isLocked"), Text(exactly: "`tokenbroker unlock`"))]
                }
                let accounts = try await broker.call(AccountList()).count
                findings.append(
                    accounts > 0
                        ? .good(Text("cli.doctor.accounts", ["count": accounts]))
                        : .odd(Text("cli.doctor.nobody"), Text("cli.doctor.signInOrUp"))
                )
                return findings
            }
        } catch {
            let failure = CommandFailure(error, correlation)
            var finding = Finding.bad(Text("cli.doctor.daemonFails", ["reason": failure.text]), failure.hint)
            finding.isUnreachable = true
            return [finding]
        }
    }

    /// Checks this machine's clock, because a wrong clock makes tokens expire too early or too late.
    private func clockFindings() -> [Finding] {
        let now = MomentClock.system.now
        guard let built = Finding.modified(CommandLine.arguments.first ?? "") ?? Finding.modified("/proc/self/exe")
        else {
            return []
        }
        guard now.wall < built else {
            return [
                .good(Text("cli.doctor.clock", ["time": TimeText.utc(now.wall)])),
                SystemClock.isKept
                    ? .good(Text("cli.doctor.clockIsKept"))
                    : .odd(Text("cli.doctor.clockIsNotKept"), Text("cli.doctor.keepClock")),
            ]
        }
        return [.bad(Text("cli.doctor.clockIsWrong", ["time": TimeText.utc(now.wall)]), Text("cli.doctor.setClock"))]
    }
}

struct Finding: Sendable {
    enum State: String {
        case good = "ok"
        case odd = "note"
        case bad = "problem"

        var word: Text {
            switch self {
            case .good: Text("cli.doctor.good")
            case .odd: Text("cli.doctor.odd")
            case .bad: Text("cli.doctor.bad")
            }
        }
    }

    let state: State
    let text: Text
    var advice: Text?
    var isUnreachable = false
    var isUsable = false

    static func good(_ text: Text) -> Finding { Finding(state: .good, text: text) }
    static func odd(_ text: Text, _ advice: Text?) -> Finding { Finding(state: .odd, text: text, advice: advice) }
    static func bad(_ text: Text, _ advice: Text?) -> Finding { Finding(state: .bad, text: text, advice: advice) }

    var json: JSONValue {
        var members: [String: JSONValue] = ["state": .string(state.rawValue), "text": .string(text.english)]
        members["advice"] = (advice?.english).map(JSONValue.string)
        return .object(members)
    }

    /// Returns when a file was last modified, in milliseconds since 1970 UTC, or `nil` if it cannot be read.
    static func modified(_ path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map { Int64($0.timeIntervalSince1970 * 1000) }
    }
}
