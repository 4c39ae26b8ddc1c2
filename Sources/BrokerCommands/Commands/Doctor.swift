import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import Glibc
import Moments
import OAuth
import ProgramConfiguration
import Systemd
import Terminal

/// Looks for what keeps the daemon from being used.
struct Doctor: Command {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps tokens from coming, and say what to do about it."
    )

    @Option(help: "The daemon's configuration, if it is not at its usual place.", completion: .file())
    var config: String?
    @Option(help: "The daemon's policies, if they are not at their usual place.", completion: .directory)
    var policies: String?
    @Option(help: "The daemon's state directory, if it is not at its usual place.", completion: .directory)
    var stateDirectory: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        var findings = SocketFinding.all(connection.location.paths)
        var issuer: String?
        if findings.contains(where: { $0.isUsable }) {
            findings += await daemonFindings(correlation)
            issuer = try? await connection.withBroker(correlation) { try await $0.policies().first?.issuer }
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
                try Output.line("\(finding.state.rawValue): \(finding.text)")
                if let advice = finding.advice { try Output.line("   do: \(advice)") }
            }
        }
        guard let worst = findings.first(where: { $0.state == .bad }) else { return }
        throw CommandFailure(worst.isUnreachable ? .unreachable : .failed, "unhealthy", worst.text, hint: worst.advice)
    }

    /// The files, disk and ports of the daemon whose socket this is: the service's, unless it is one's own.
    private func machineFindings(_ issuer: String?) async -> [Finding] {
        let environment = ProcessInfo.processInfo.environment
        let isService = SocketFinding.usable(connection.location.paths) == SocketLocation.servicePath
        let paths =
            isService
            ? ProgramPaths(environment: [:], effectiveUID: 0)
            : ProgramPaths(environment: environment, effectiveUID: geteuid())
        let machine = MachineFindings(
            paths,
            configuration: config,
            policies: policies,
            state: stateDirectory,
            issuer: issuer
        )
        return await machine.all()
    }

    private func daemonFindings(_ correlation: CorrelationID) async -> [Finding] {
        do {
            return try await connection.withBroker(correlation) { broker in
                let before = MomentClock.system.now
                let status = try await broker.call(BrokerStatus())
                let took = MomentClock.system.now.boot - before.boot
                var findings = [
                    Finding(
                        .good,
                        "the daemon answers: version \(status.version), up \(status.uptimeMs / 1000) s, \(took) ms"
                    )
                ]
                if status.version != Version.text {
                    findings.append(
                        Finding(
                            .odd,
                            "the daemon is version \(status.version), this program \(Version.text)",
                            "restart the daemon"
                        )
                    )
                }
                if status.policies.isEmpty {
                    findings.append(Finding(.bad, "no policy is in force", "see `tokenbrokerd --check`"))
                }
                for policy in try await broker.call(PolicyList()).values {
                    findings.append(
                        policy.available
                            ? Finding(.good, "policy \(policy.policy) is in force")
                            : Finding(.odd, "policy \(policy.policy) is unavailable", policy.missing)
                    )
                }
                if status.locked {
                    return findings + [Finding(.odd, "your tokens are locked", "`tokenbroker unlock`")]
                }
                let accounts = try await broker.call(AccountList()).values.count
                findings.append(
                    accounts > 0
                        ? Finding(.good, "\(accounts) account\(accounts == 1 ? "" : "s") signed in")
                        : Finding(.odd, "nobody is signed in", "`tokenbroker sign-in` or `tokenbroker sign-up`")
                )
                return findings
            }
        } catch {
            let failure = CommandFailure(error, correlation)
            return [
                Finding(
                    .bad,
                    "the daemon does not answer as it should: \(failure.message)",
                    failure.hint,
                    isUnreachable: true
                )
            ]
        }
    }

    /// A clock that is far off makes fresh tokens look old, or old ones fresh.
    private func clockFindings() -> [Finding] {
        let now = MomentClock.system.now
        guard let built = Finding.modified(CommandLine.arguments.first ?? "") ?? Finding.modified("/proc/self/exe")
        else {
            return []
        }
        guard now.wall < built else {
            return [
                Finding(.good, "the clock says \(TimeText.utc(now.wall))"),
                SystemClock.isKept
                    ? Finding(.good, "the clock is kept right")
                    : Finding(
                        .odd,
                        "nothing keeps the clock right",
                        "`timedatectl set-ntp true`, or what the host has"
                    ),
            ]
        }
        return [
            Finding(
                .bad,
                "the clock says \(TimeText.utc(now.wall)), which is before this program was installed",
                "set the clock; `timedatectl` shows whether it is kept right"
            )
        ]
    }
}

/// One thing that the doctor saw.
struct Finding: Sendable {
    /// The state that was found.
    enum State: String {
        case good = "ok"
        case odd = "note"
        case bad = "problem"
    }

    let state: State
    let text: String
    let advice: String?
    let isUnreachable: Bool
    let isUsable: Bool

    init(_ state: State, _ text: String, _ advice: String? = nil, isUnreachable: Bool = false, isUsable: Bool = false) {
        self.state = state
        self.text = text
        self.advice = advice
        self.isUnreachable = isUnreachable
        self.isUsable = isUsable
    }

    var json: JSONValue {
        var members: [String: JSONValue] = ["state": .string(state.rawValue), "text": .string(text)]
        members["advice"] = advice.map(JSONValue.string)
        return .object(members)
    }

    /// When a file was last written, in milliseconds since 1970 UTC.
    static func modified(_ path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date).map { Int64($0.timeIntervalSince1970 * 1000) }
    }
}
