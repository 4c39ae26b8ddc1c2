import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RowChangesTests {
    @Test("the rows of a query come first, then each local or pulled difference") func differences() async throws {
        try await TestServer.run { server in
            try await withDevice(server) { one in
                try await withDevice(server) { two in
                    let mine = try await two.add("mine")
                    var changes = try two.table.changes(of: Query().where("complete == NO")).makeAsyncIterator()
                    #expect(try await changes.next()?.inserted.map(\.id) == [mine])
                    let theirs = try await one.add("theirs")
                    try await one.context.push()
                    try await two.table.pull(queryID: nil)
                    var seen: [RowID] = []
                    while !seen.contains(theirs) { seen += try await changes.next()?.inserted.map(\.id) ?? [theirs] }
                    #expect(seen == [theirs])
                    try await two.table.update(mine, ["text": "changed"])
                    #expect(try await changes.next()?.updated.first?["text"] == "changed")
                    try await two.table.update(mine, ["complete": true])
                    #expect(try await changes.next()?.removed == [mine])
                }
            }
        }
    }
}
