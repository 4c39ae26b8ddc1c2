import OAuth
import Testing

extension Compatibility {
    /// Tests of row versions, and of requests with an old version.
    @Suite struct Concurrency {
        private func table(_ name: String = "roundtriptable") throws -> JavaScriptClient.Table {
            try Server.here().client.table(name)
        }

        /// Inserts and updates a row, and returns the row before and after the update.
        private func changed(
            _ id: String,
            in table: JavaScriptClient.Table
        ) async throws -> (old: JSONValue, new: JSONValue) {
            _ = try await table.delete(["id": .string(id)])
            let old = try await table.insert(["id": .string(id), "name": "a value"]).row
            var members = old.object ?? [:]
            members["name"] = "Hello!"
            let new = try await table.update(.object(members)).row
            #expect(new["version"]?.string != old["version"]?.string && new["name"] == "Hello!")
            return (old, new)
        }

        @Test("every response with one row has its version as ETag and in the row") func tags() async throws {
            let table = try table()
            _ = try await table.delete(["id": "tags"])
            let inserted = try await table.insert(["id": "tags", "name": "x"])
            let found = try await table.lookUp("tags")
            let updated = try await table.update(["id": "tags", "name": "y"])
            for answer in [inserted, found, updated] {
                let version = try #require(answer.json["version"]?.string, "\(answer.text)")
                #expect(answer["ETag"] == "\"\(version)\"")
            }
            #expect(inserted["ETag"] == found["ETag"] && found["ETag"] != updated["ETag"])
        }

        @Test("an update of an old version is 412 with the current row, whose version then succeeds") func update()
            async throws
        {
            let table = try table()
            let (old, new) = try await changed("an id", in: table)
            var mine = old.object ?? [:]
            mine["name"] = "But wait!"
            let refused = try await table.update(.object(mine))
            #expect(refused.status == 412 && refused["ETag"] == "\"\(new["version"]?.string ?? "")\"")
            // The client reads the current row and its version from the body of the response.
            #expect(refused.json["version"] == new["version"] && refused.json["name"] == "Hello!")
            #expect(refused["Content-Type"]?.contains("json") == true)
            mine["version"] = refused.json["version"]
            let accepted = try await table.update(.object(mine))
            #expect(
                accepted.status == 200 && accepted.row["version"] != new["version"]
                    && accepted.row["name"] == "But wait!"
            )
        }

        @Test("a deletion of an old version is 412 with the current row, whose version then succeeds") func delete()
            async throws
        {
            let table = try table()
            let (old, new) = try await changed("another id", in: table)
            let refused = try await table.delete(old)
            #expect(
                refused.status == 412 && refused.json["version"] == new["version"] && refused.json["name"] == "Hello!"
            )
            #expect(try await table.delete(new).status == 200)
            #expect(try await table.lookUp("another id").status == 404)
        }

        @Test("without a version the last write wins") func lastWins() async throws {
            let table = try table()
            _ = try await changed("last wins", in: table)
            #expect(try await table.update(["id": "last wins", "name": "third"]).row["name"] == "third")
            #expect(try await table.delete(["id": "last wins"]).status == 200)
        }

        @Test("a version that never existed is 412, even if all system columns are requested") func neverWas()
            async throws
        {
            let server = try Server.here()
            _ = try await changed("never was", in: try table())
            let answer = try await server.client.send(
                "PATCH",
                "/tables/roundtriptable/never%20was?__systemProperties=*",
                body: Array(#"{"id":"never was","name":"x"}"#.utf8),
                fields: [("If-Match", "\"incorrect\"")]
            )
            #expect(answer.status == 412, "\(answer.text)")
            let inserted = try await server.client.send(
                "POST",
                "/tables/roundtriptable?__systemProperties=*",
                body: Array(#"{"name":"John","number":123}"#.utf8)
            )
            #expect(inserted.status == 201 && inserted["ETag"] != nil, "\(inserted.text)")
        }

        @Test("a version in the body is equivalent to If-Match") func inBody() async throws {
            let (old, _) = try await changed("in body", in: try table())
            let body = JSONValue.object(["id": "in body", "name": "x", "version": old["version"] ?? nil])
            let client = try Server.here().client
            let answer = try await client.send("PATCH", "/tables/roundtriptable/in%20body", body: body.bytes)
            #expect(answer.status == 412, "\(answer.text)")
        }

        @Test("If-Match: * matches any version of an existing row") func anyVersion() async throws {
            _ = try await changed("any version", in: try table())
            let client = try Server.here().client
            let any = [("If-Match", "*")]
            let body = Array(#"{"name":"x"}"#.utf8)
            #expect(
                try await client.send("PATCH", "/tables/roundtriptable/any%20version", body: body, fields: any).status
                    == 200
            )
            #expect(try await client.send("DELETE", "/tables/roundtriptable/any%20version", fields: any).status == 200)
            let gone = try await client.send("PATCH", "/tables/roundtriptable/any%20version", body: body, fields: any)
            #expect(gone.status == 412 || gone.status == 404)
        }

        @Test("a version without quotation marks is rejected", arguments: ["abc", "\"open", "W/\"weak\" x"])
        func malformed(_ field: String) async throws {
            _ = try await changed("malformed", in: try table())
            let client = try Server.here().client
            let answer = try await client.send(
                "PATCH",
                "/tables/roundtriptable/malformed",
                body: Array(#"{"name":"x"}"#.utf8),
                fields: [("If-Match", field)]
            )
            #expect(answer.status == 400, "\(answer.status)")
        }

        @Test("a look-up of the client's current version is 304") func notModified() async throws {
            let (_, new) = try await changed("not modified", in: try table())
            let client = try Server.here().client
            let tag = "\"\(new["version"]?.string ?? "")\""
            let path = "/tables/roundtriptable/not%20modified"
            let same = try await client.send("GET", path, fields: [("If-None-Match", tag)])
            #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
            #expect(try await client.send("GET", path, fields: [("If-None-Match", "\"other\"")]).status == 200)
        }

        @Test("a second insert of an id is 409 with the existing row") func twice() async throws {
            let table = try table()
            let (_, new) = try await changed("twice", in: table)
            let answer = try await table.insert(["id": "twice", "name": "should not be"])
            #expect(answer.status == 409 && answer.json["name"] == "Hello!" && answer.json["version"] == new["version"])
            #expect(answer["ETag"] == "\"\(new["version"]?.string ?? "")\"")
        }

        @Test("a repeated insert with the same operation id gets the first response") func repeated() async throws {
            let client = try Server.here().client
            let key = [("Idempotency-Key", "6C2A8E0E-0F43-4F0C-8C73-5A3E8A0A71AF")]
            let body = Array(#"{"name":"once"}"#.utf8)
            let first = try await client.send("POST", "/tables/roundTripTable", body: body, fields: key)
            let second = try await client.send("POST", "/tables/roundTripTable", body: body, fields: key)
            #expect(
                first.status == 201 && second.status == 201 && first.json == second.json
                    && first["ETag"] == second["ETag"]
            )
        }
    }

    @Suite struct SystemColumns {
        @Test("every row has its creation time, its update time in milliseconds, and its version") func shape()
            async throws
        {
            let table = try Server.here().client.table("offlineReady")
            let row = try await table.insert(["name": "x"]).row
            for name in ["createdAt", "updatedAt"] {
                let text = try #require(row[name]?.string)
                #expect(text.wholeMatch(of: #/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/#) != nil, "\(text)")
            }
            #expect(row["version"]?.string?.isEmpty == false && row["deleted"] == false)
            #expect(row["createdAt"] == row["updatedAt"])
        }

        @Test("an update changes updatedAt and version, and leaves createdAt") func change() async throws {
            let table = try Server.here().client.table("offlineReady")
            let before = try await table.insert(["name": "x"]).row
            let after = try await table.update(["id": before["id"] ?? nil, "name": "y"]).row
            #expect(after["createdAt"] == before["createdAt"] && after["version"] != before["version"])
            #expect((after["updatedAt"]?.string ?? "") > (before["updatedAt"]?.string ?? "z"))
        }

        @Test("updatedAt grows with every write of a table") func growing() async throws {
            let table = try Server.here().client.table("offlineReady")
            var times: [String] = []
            for _ in 0..<20 { times.append(try await table.insert(["name": "x"]).row["updatedAt"]?.string ?? "") }
            #expect(times == times.sorted() && Set(times).count == times.count)
        }

        @Test(
            "system columns from a client are rejected",
            arguments: ["createdAt", "updatedAt", "deleted", "UpdatedAt"]
        )
        func reserved(_ name: String) async throws {
            let table = try Server.here().client.table("offlineReady")
            let id = try await table.insert(["name": "x"]).row["id"]
            let value: JSONValue = name == "deleted" ? true : "2020-01-01T00:00:00.000Z"
            #expect(try await table.insert(.object(["name": "y", name: value])).status == 400)
            let body = JSONValue.object(["name": "y", name: value]).bytes
            let path = "/tables/offlineReady/\(id?.string ?? "")"
            let answer = try await Server.here().client.send("PATCH", path, body: body)
            #expect(answer.status == 400 && answer.json["error"]?.string?.contains(name) == true, "\(answer.text)")
        }

        @Test("rows are found by system columns") func found() async throws {
            let table = try Server.here().client.table("offlineReady")
            var rows: [JSONValue] = []
            for _ in 0..<3 { rows.append(try await table.insert(["name": "found by time"]).row) }
            let since = rows[1]["updatedAt"]?.string ?? ""
            let filter =
                "$filter=((name eq 'found%20by%20time') and (updatedAt ge datetimeoffset'\(since)'))&$orderby=updatedAt"
            #expect(try await table.read(filter).ids == rows[1...].compactMap { $0["id"]?.string })
            let version = JavaScriptClient.literal(rows[2]["version"]?.string ?? "")
            #expect(try await table.read("$filter=(version eq \(version))").ids.contains(rows[2]["id"]?.string ?? ""))
            #expect(
                try await table.read("$filter=(createdAt eq datetime'\(rows[0]["createdAt"]?.string ?? "")')").rows
                    .isEmpty == false
            )
        }
    }
}
