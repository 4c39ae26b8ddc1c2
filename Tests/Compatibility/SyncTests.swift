import OAuth
import TestSupport
import Testing

extension Compatibility {
    /// Tests of deleted rows in a table that keeps tombstones.
    @Suite struct SoftDelete {
        private func table() throws -> JavaScriptClient.Table { try Server.here().client.table("offlineReady") }

        private func deleted() async throws -> (table: JavaScriptClient.Table, row: JSONValue) {
            let table = try table()
            let row = try await table.insert(["name": "soft"]).row
            let answer = try await table.delete(row)
            #expect(answer.status == 200 && answer.json["deleted"] == true && answer.json["version"] != row["version"])
            return (table, answer.row)
        }

        @Test("a deleted row is not found by its id or in lists") func hidden() async throws {
            let (table, row) = try await deleted()
            let id = row["id"]?.string ?? ""
            #expect(try await table.lookUp(.string(id)).status == 404)
            #expect(try await table.read("$filter=(id eq '\(id)')").json == [])
            let counted = try await table.read("$filter=(id eq '\(id)')&$inlinecount=allpages")
            #expect(counted.json["count"] == 0)
        }

        @Test(
            "a list that includes deleted rows contains it and marks it as deleted",
            arguments: ["__includeDeleted", "__includedeleted"]
        )
        func included(_ name: String) async throws {
            let (table, row) = try await deleted()
            let id = row["id"]?.string ?? ""
            let answer = try await table.read("$filter=(id eq '\(id)')", [(name, "true")])
            #expect(answer.ids == [id] && answer.rows[0]["deleted"] == true, "\(answer.text)")
            #expect(try await table.read("$filter=(id eq '\(id)')", [(name, "false")]).json == [])
        }

        @Test("a look-up that includes deleted rows does not find it") func lookUp() async throws {
            let (table, row) = try await deleted()
            #expect(try await table.lookUp(row["id"], [("__includeDeleted", "true")]).status == 404)
        }

        @Test("a second deletion and an update of it are 409 with the row") func again() async throws {
            let (table, row) = try await deleted()
            let id = row["id"] ?? nil
            let second = try await table.delete(["id": id])
            #expect(second.status == 409 && second.json["deleted"] == true, "\(second.text)")
            let change = try await table.update(["id": id, "name": "x"])
            #expect(change.status == 409 && change.json["deleted"] == true, "\(change.text)")
        }

        @Test("an insert with its id is 409 with the row") func insert() async throws {
            let (table, row) = try await deleted()
            let answer = try await table.insert(["id": row["id"] ?? nil, "name": "x"])
            #expect(answer.status == 409 && answer.json["deleted"] == true)
        }

        @Test("a POST to its path without a body restores it") func undelete() async throws {
            let (table, row) = try await deleted()
            let client = try Server.here().client
            let path = "/tables/offlineReady/\(row["id"]?.string ?? "")"
            let stale = try await client.send("POST", path, fields: [("If-Match", "\"old\"")])
            #expect(stale.status == 412 && stale.json["deleted"] == true, "\(stale.text)")
            let back = try await client.send(
                "POST",
                path,
                fields: [("If-Match", "\"\(row["version"]?.string ?? "")\"")]
            )
            #expect((back.status == 201 || back.status == 200) && back.json["deleted"] == false && back["ETag"] != nil)
            #expect(try await table.lookUp(row["id"]).json["name"] == "soft")
        }

        @Test("a row that never existed cannot be restored, nor one in a table with permanent deletion")
        func cannot() async throws {
            let client = try Server.here().client
            #expect(try await client.send("POST", "/tables/offlineReady/never-was").status == 404)
            let table = client.table("roundTripTable")
            let id = try await table.insert(["name": "x"]).row["id"]
            _ = try await table.delete(["id": id ?? nil])
            let status = try await client.send("POST", "/tables/roundTripTable/\(id?.string ?? "")").status
            #expect(status == 400 || status == 404 || status == 405)
        }

        @Test("rows with numeric ids have tombstones too") func numbers() async throws {
            let table = try Server.here().client.table("offlineNumbers")
            let row = try await table.insert(["name": "x"]).row
            #expect(try await table.delete(row).status == 200)
            #expect(try await table.lookUp(row["id"]).status == 404)
            let id = row["id"]?.int ?? 0
            #expect(try await table.read("$filter=(id eq \(id))", [("__includeDeleted", "true")]).rows.count == 1)
            #expect(
                try await Server.here().client.send("POST", "/tables/offlineNumbers/\(id)").json["deleted"] == false
            )
        }
    }

    /// Tests of the requests that the client's offline sync sends to push and pull changes.
    @Suite struct Sync {
        private func offline(_ codes: String...) throws -> JavaScriptClient.Table {
            var client = try Server.here().client
            client.features = ["OL"] + codes
            return client.table("offlineReady")
        }

        /// Pulls all changes since `start` as the client does.
        ///
        /// Each request starts at the last timestamp received. The pull ends with an empty page.
        private func pull(
            since start: String,
            filter: String? = nil,
            page: Int
        ) async throws -> (rows: [JSONValue], last: String) {
            let table = try offline("IP")
            var last = start
            var skip = 0
            var rows: [JSONValue] = []
            for _ in 0..<500 {
                let time = "(updatedAt ge datetimeoffset'\(last)')"
                let whole = filter.map { "((\($0)) and \(time))" } ?? time
                let query = "$filter=\(whole)&$orderby=updatedAt" + (skip > 0 ? "&$skip=\(skip)" : "") + "&$top=\(page)"
                let answer = try await table.read(query, [("__includeDeleted", "true")], raw: true)
                try #require(answer.status == 200, "\(answer.text)")
                guard let end = answer.rows.last?["updatedAt"]?.string else { return (rows, last) }
                rows += answer.rows
                if end == last { skip += answer.rows.count } else { (last, skip) = (end, 0) }
            }
            throw Wire.Failure(what: "a pull that does not end")
        }

        @Test(
            "a pull from the beginning finds every row, including deleted ones, with any page size",
            arguments: [1, 3, 50]
        )
        func pullAll(_ page: Int) async throws {
            let name = "pull by \(page)"
            let table = try offline()
            var ids: [String] = []
            for index in 0..<7 {
                let row = try await table.insert(["name": .string(name), "number": .int(Int64(index))]).row
                ids.append(row["id"]?.string ?? "")
                if index == 3 { #expect(try await table.delete(row).status == 200) }
            }
            // The client computes the start of its first pull in local time, so the start can be in 1969.
            let (rows, _) = try await pull(since: "1969-12-31T08:00:00.000Z", filter: "name eq '\(name)'", page: page)
            #expect(Set(rows.compactMap { $0["id"]?.string }) == Set(ids))
            #expect(rows.filter { $0["deleted"] == true }.compactMap { $0["id"]?.string }.first == ids[3])
            #expect(rows.allSatisfy { $0["deleted"]?.bool != nil && $0["version"]?.string != nil })
        }

        @Test("a pull from the last time finds later changes, and the row with that time") func incremental()
            async throws
        {
            let table = try offline()
            let filter = "name eq 'incremental'"
            var rows: [JSONValue] = []
            for index in 0..<5 {
                rows.append(try await table.insert(["name": "incremental", "number": .int(Int64(index))]).row)
            }
            let (_, last) = try await pull(since: "1970-01-01T00:00:00.000Z", filter: filter, page: 50)
            #expect(last == rows[4]["updatedAt"]?.string)
            let changed = try await table.update(["id": rows[1]["id"] ?? nil, "number": 100]).row
            let deleted = try await table.delete(rows[2]).row
            let (fresh, end) = try await pull(since: last, filter: filter, page: 2)
            let expected = [rows[4], changed, deleted].compactMap { $0["id"]?.string }
            #expect(Set(fresh.compactMap { $0["id"]?.string }) == Set(expected) && end == deleted["updatedAt"]?.string)
            // If nothing has changed, the pull receives a page with the last row, and an empty page.
            let (none, _) = try await pull(since: end, filter: filter, page: 50)
            #expect(none.compactMap { $0["id"]?.string } == [deleted["id"]?.string])
        }

        @Test("a pull as the client for iOS sends it, with $skip=0") func iOS() async throws {
            let answer = try await offline("IP").read(
                "$filter=(updatedAt ge datetimeoffset'1970-01-01T00:00:00.000Z')&$orderby=updatedAt asc&$top=50&$skip=0",
                [("__includeDeleted", "true")],
                raw: true
            )
            #expect(answer.status == 200 && answer.json.array != nil, "\(answer.text)")
        }

        @Test("telemetry codes may be repeated") func features() async throws {
            var client = try Server.here().client
            client.features = ["OL", "IP", "TR", "QS", "TR", "QS"]
            #expect(try await client.table("offlineReady").read("$top=1", raw: true).status == 200)
        }

        @Test("a push of an insert, an update and a deletion uses the version of each previous response") func push()
            async throws
        {
            let table = try offline()
            let inserted = try await table.insert(["id": "pushed", "name": "first"]).row
            var row = inserted.object ?? [:]
            row["name"] = "second"
            let updated = try await table.update(.object(row)).row
            #expect(updated["name"] == "second" && updated["version"] != inserted["version"])
            let deleted = try await table.delete(updated)
            #expect(deleted.status == 200)
        }

        @Test("a push of an insert whose response was lost is 409 with the client's own row") func lost() async throws {
            let table = try offline()
            let mine: JSONValue = ["id": "lost answer", "name": "mine"]
            #expect(try await table.insert(mine).status == 201)
            let again = try await table.insert(mine)
            #expect(again.status == 409 && again.json["name"] == "mine")
            // The client's conflict handler replaces the insert with an update of the existing row.
            let turned = try await table.update(again.row)
            #expect(turned.status == 200)
        }

        @Test("a push of an old update is 412 until it has the server's version") func conflict() async throws {
            let table = try offline()
            let first = try await table.insert(["id": "conflict", "name": "first"]).row
            _ = try await table.update(["id": "conflict", "name": "theirs"])
            var mine = first.object ?? [:]
            mine["name"] = "mine"
            let refused = try await table.update(.object(mine))
            #expect(refused.status == 412 && refused.json["name"] == "theirs")
            // The client's conflict handler keeps the client's change, and takes the server's version.
            mine["version"] = refused.json["version"]
            #expect(try await table.update(.object(mine)).row["name"] == "mine")
            let stale = try await table.delete(first)
            #expect(stale.status == 412 && stale.json["name"] == "mine")
            #expect(try await table.delete(stale.row).status == 200)
        }

        @Test("a push of an update of a row that others deleted returns the deleted row") func changedDeleted()
            async throws
        {
            let table = try offline()
            let row = try await table.insert(["id": "deleted by others", "name": "x"]).row
            _ = try await table.delete(["id": "deleted by others"])
            let refused = try await table.update(row)
            #expect(refused.status == 412 && refused.json["deleted"] == true, "\(refused.text)")
        }

        @Test("a push of a deletion of a row that never reached the server is 404") func absent() async throws {
            #expect(try await offline().delete(["id": "never came"]).status == 404)
        }

        @Test("a pull from a time with purged tombstones is told to start over") func tooOld() async throws {
            try await Server.whileAlone { server in
                let clock = try WallClock(file: server.folder.path("wall-clock"))
                let first = try await server.start(clock)
                let row = try await server.client.table("offlineReady").insert(["name": "x"]).row
                let gone = try await server.client.table("offlineReady").delete(row).row
                await Server.stop(first)
                // Forty days is longer than the table's retention time for tombstones.
                try clock.set(by: 40 * 24 * 60)
                let second = try await server.start(clock)
                func pull(_ time: String) async throws -> Answer {
                    var client = server.client
                    client.features = ["OL", "IP"]
                    return try await client.table("offlineReady").read(
                        "$filter=(updatedAt ge datetimeoffset'\(time)')&$orderby=updatedAt&$top=50",
                        [("__includeDeleted", "true")],
                        raw: true
                    )
                }
                let since = try #require(gone["updatedAt"]?.string)
                var answer = try await pull(since)
                // The server starts to purge tombstones when it starts, and may not have finished yet.
                try await waitUntil("the sweep is over") {
                    answer = try await pull(since)
                    return answer.status != 200 || answer.rows.count != 1
                }
                #expect(answer.status == 410 && answer.json["code"] == 410, "\(answer.text)")
                let anew = try await pull("1970-01-01T00:00:00.000Z")
                #expect(anew.status == 200 && anew.rows.isEmpty, "\(anew.text)")
                await Server.stop(second)
            }
        }
    }
}
