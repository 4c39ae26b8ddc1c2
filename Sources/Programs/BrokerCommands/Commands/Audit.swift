import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Moments
import OAuth
import Terminal

struct Audit: DaemonCommand {
    static let configuration = CommandConfiguration("audit", "help.broker.audit")

    /// The number of events to request per call, which is the daemon's maximum.
    private static let pageSize: Int64 = 1000
    private static let maxPages = 1000

    @Option(help: .text("help.broker.audit.since", valueName: "duration")) var since: DurationText?
    @Option(help: .text("help.broker.audit.limit", valueName: "number")) var limit: Int64?
    @Flag(help: .text("help.broker.audit.all")) var all = false
    @Flag(help: .text("help.broker.audit.wide")) var wide = false
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
        let columns = columns
        try Output.table(
            columns.map(\.heading),
            shown.map { event in columns.map { $0.cell(event) } },
            empty: Text(from > 0 ? "cli.broker.noEventsSince" : "cli.broker.noEvents")
        )
    }

    private typealias Column = (heading: String, cell: (AuditRecord) -> String)

    private var columns: [Column] {
        var columns: [Column] = [
            (Text("cli.broker.timeHeading").text, { TimeText.utc($0.at) }),
            (Text("cli.broker.eventHeading").text, { $0.event }),
        ]
        if wide { columns.insert(("SEQ", { String($0.sequence) }), at: 0) }
        if wide || all { columns.append(("UID", { $0.uid.map(String.init) ?? "" })) }
        if wide { columns.append(("PID", { $0.pid.map(String.init) ?? "" })) }
        columns.append((Text("cli.broker.detailHeading").text, Self.detail(of:)))
        return columns
    }

    private static func detail(of event: AuditRecord) -> String {
        var detail = event.detail
        detail["client"] = event.client
        detail["policy"] = event.policy
        detail["user"] = event.user
        return detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// Returns all events since `from` (milliseconds since 1970 UTC), oldest first.
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
