import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Moments
import OAuth
import Terminal

/// Lists security events.
struct Audit: DaemonCommand {
    static let configuration = CommandConfiguration("audit", "help.broker.audit")

    /// The number of events in one call, the most that the daemon answers.
    private static let pageSize: Int64 = 1000
    /// The most pages that are asked for.
    private static let maxPages = 1000

    @Option(help: .text("help.broker.audit.since")) var since: DurationText?
    @Option(help: .text("help.broker.audit.limit")) var limit: Int64?
    @Flag(help: .text("help.broker.audit.all")) var all = false
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        if let limit, !(1...1000).contains(limit) {
            throw ValidationError(Text("cli.broker.between", ["option": "--limit", "least": 1, "most": 1000]))
        }
    }

    func run(_ correlation: CorrelationID) async throws {
        let from = since.map { MomentClock.system.now.wall - $0.milliseconds } ?? 0
        let events = try await connection.withBroker(correlation) { try await read(since: from, $0) }
        let shown = limit.map { Array(events.suffix(Int($0))) } ?? events
        if shared.json { return try Output.json(AuditQuery.result(shown)) }
        try Output.table(
            [
                "SEQ", Text("cli.broker.timeHeading").text, Text("cli.broker.eventHeading").text, "UID", "PID",
                Text("cli.broker.detailHeading").text,
            ],
            shown.map { event in
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

    /// All pages, oldest event first, without what happened before `from`.
    private func read(since from: Int64, _ broker: BrokerClient) async throws -> [AuditRecord] {
        var events: [AuditRecord] = []
        var last: Int64 = 0
        for _ in 0..<Self.maxPages {
            let page =
                all
                ? try await broker.call(AuditAll(since: last, limit: Self.pageSize))
                : try await broker.audit(since: last, limit: Self.pageSize)
            events += page.filter { $0.at >= from }
            guard page.count == Self.pageSize, let sequence = page.last?.sequence else { break }
            last = sequence
        }
        return events
    }
}
