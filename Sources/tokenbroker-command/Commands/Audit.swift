import ArgumentParser
import BrokerAPI
import BrokerClient
import Moments
import OAuth
import Terminal

/// Lists security events.
struct Audit: Command {
    static let configuration = CommandConfiguration(abstract: "List your own security events, oldest first.")

    @Option(help: "Only the last so much time: 15m, 2h, 7d.") var since: DurationText?
    @Option(help: "At most so many, 1 to 1000.") var limit: Int64?
    @Flag(help: "Everybody's events; for operators.") var all = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let limit, !(1...1000).contains(limit) { throw ValidationError("--limit lies between 1 and 1000") }
    }

    func run(_ correlation: CorrelationID) async throws {
        let from = since.map { max(0, MomentClock.system.now.wall - $0.milliseconds) }
        let answer = try await connection.withBroker(correlation) { broker in
            all
                ? try await broker.call(AuditAll(since: from, limit: limit))
                : try await broker.call(AuditQuery(since: from, limit: limit))
        }
        if shared.json {
            Output.json(answer.json)
            return
        }
        Output.table(
            ["SEQ", "TIME", "EVENT", "UID", "PID", "DETAIL"],
            answer.values.map { event in
                var detail = event.detail
                detail["client"] = event.client
                detail["policy"] = event.policy
                detail["user"] = event.user
                return [
                    String(event.sequence), TimeText.utc(event.at), event.event, event.uid.map(String.init) ?? "",
                    event.pid.map(String.init) ?? "",
                    detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
                ]
            }
        )
    }
}
