import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import Synchronization
import TestSupport
import Testing

/// Tests that hostile queries of one user are refused and do not delay other users.
@Suite(.timeLimit(.minutes(3)))
struct CostlyQueriesTests {
    /// The maximum length of a note, in bytes.
    private static let length = 1_000_000

    /// Queries that would run for minutes if the work limit counted only the database's own steps.
    private static let hostile: [(HTTPMethod, String)] = [
        (.GET, many(140) { "indexof(tolower(notes),'\($0)') ge 0" }),
        (.GET, many(70) { "indexof(toupper(notes),substring(notes,\($0 + 1))) gt \($0)" }),
        (.GET, many(90) { "concat(tolower(notes),'x') eq '\($0)'" }),
        (.DELETE, many(140) { "indexof(toupper(notes),'\($0)') ge 0" }),
    ]

    private static func many(_ count: Int, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: " or ")
    }

    private final class Order: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test("/healthz responds while one user requests many long lists at once") func longLists() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let alice = try daemon.token("alice")
            let note = String(repeating: "a", count: Self.length)
            for index in 0..<7 {
                let row: JSONValue = .object(["text": .string("t\(index)"), "notes": .string(note)])
                #expect(try await daemon.send(.POST, "/tables/todoitem", row, token: alice).status == 201)
            }
            let clients = try (0..<8).map { _ in try RawClient(port: daemon.port) }
            for client in clients {
                client.send(
                    "GET /tables/todoitem HTTP/1.1\r\nHost: localhost:\(daemon.port)\r\n"
                        + "Authorization: Bearer \(alice)\r\nConnection: close\r\n\r\n"
                )
            }
            let order = Order()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in clients {
                    group.addTask {
                        #expect(await client.countToEnd() > 7 * Self.length)
                        order.add("list")
                    }
                }
                let health = try await daemon.send(.GET, "/healthz", token: alice)
                #expect(health.status == 200)
                #expect(order.all.count < clients.count / 2, "its response was among the first")
                try await group.waitForAll()
            }
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("hostile filters are refused while another user lists and inserts") func others() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let (alice, bob) = (try daemon.token("alice"), try daemon.token("bob"))
            let note = String(repeating: "a", count: Self.length)
            for index in 0..<12 {
                let row: JSONValue = .object(["text": .string("t\(index)"), "notes": .string(note)])
                #expect(try await daemon.send(.POST, "/tables/todoitem", row, token: alice).status == 201)
            }
            let order = Order()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (method, filter) in Self.hostile {
                    group.addTask {
                        let path = "/tables/todoitem?$filter=\(try Self.encoded(filter))"
                        let answer = try await daemon.send(method, path, token: alice, seconds: 120)
                        #expect(answer.status == 400, "\(method) \(filter.prefix(60))")
                        #expect(answer.json?["error"]?.string?.contains("more work") == true)
                        order.add("alice")
                    }
                }
                group.addTask {
                    for index in 0..<10 {
                        let row: JSONValue = .object(["text": .string("b\(index)")])
                        #expect(try await daemon.send(.POST, "/tables/todoitem", row, token: bob).status == 201)
                        let list = try await daemon.send(.GET, "/tables/todoitem", token: bob)
                        #expect(list.status == 200 && list.json?.array?.count == index + 1)
                    }
                    order.add("bob")
                }
                try await group.waitForAll()
            }
            #expect(order.all.count == 5 && order.all.last == "alice")
            let count = try await daemon.send(.GET, "/tables/todoitem?$inlinecount=allpages&$top=0", token: alice)
            #expect(count.json?["count"] == 12)
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test(
        "a short URL with a condition that doubles with each link gets a response at once, also without a token"
    )
    func doubling() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(
                more: """
                    tables:
                      open:
                        perUser: false
                        access: {read: anonymous, insert: anonymous}
                        columns: {done: {type: boolean}}
                    """
            )
            let (process, _) = try await daemon.start()
            #expect(try await daemon.send(.POST, "/tables/open", ["done": .null], token: nil).status == 201)
            for (links, status) in [(1, 200), (5, 200), (40, 400)] {
                let filter = try Self.encoded("done" + String(repeating: " in (true,null)", count: links))
                let answer = try await daemon.send(.GET, "/tables/open?$filter=\(filter)", token: nil)
                #expect(answer.status == status, "\(links) links")
            }
            #expect(await daemon.stop(process) == 0)
        }
    }

    private static func encoded(_ text: String) throws -> String {
        try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }
}
