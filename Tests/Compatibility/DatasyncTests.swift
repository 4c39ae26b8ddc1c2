import OAuth
import Testing

extension Compatibility {
    /// Tests of the requests of the Datasync client for .NET (version 3.0.0 of the protocol).
    @Suite struct Datasync {
        private func send(
            _ method: String,
            _ path: String,
            _ row: JSONValue? = nil,
            version: String? = nil
        ) async throws -> Answer {
            let match = version.map { [("If-Match", "\"\($0)\"")] } ?? []
            return try await Server.here().client.send(
                method,
                "/tables/offlineready" + path,
                body: row?.bytes,
                fields: [("ZUMO-API-VERSION", "3.0.0"), ("X-ZUMO-Options", "nextLink=path")] + match
            )
        }

        @Test("a row of the client is inserted, replaced, found, deleted and restored") func life() async throws {
            let item: JSONValue = [
                "id": "datasync", "deleted": false, "updatedAt": .null, "version": .null, "name": "one", "number": 1,
            ]
            let inserted = try await send("POST", "", item)
            #expect(inserted.status == 201 && inserted.json["name"] == "one", "\(inserted.text)")
            var row = try #require(inserted.json.object)
            row["name"] = "two"
            let version = row["version"]?.string
            let replaced = try await send("PUT", "/datasync", .object(row), version: version)
            #expect(replaced.status == 200 && replaced.json["name"] == "two", "\(replaced.text)")
            let conflict = try await send("PUT", "/datasync", .object(row), version: version)
            #expect(conflict.status == 412 && conflict.json["version"] == replaced.json["version"])
            let found = try await send("GET", "?$filter=id%20eq%20'datasync'&$count=true")
            #expect(found.json["items"]?.array == [replaced.json] && found.json["count"] == 1, "\(found.text)")
            #expect(try await send("DELETE", "/datasync", version: replaced.json["version"]?.string).status == 204)
            #expect(try await send("DELETE", "/datasync", version: version).status == 410)
            let restored = try await send("PATCH", "/datasync", ["deleted": false])
            #expect(restored.status == 200 && restored.json["name"] == "two", "\(restored.text)")
            #expect(try await send("DELETE", "/datasync").status == 204)
            #expect(try await send("GET", "/datasync").status == 410)
            var dead = try #require(try await send("GET", "/datasync?__includedeleted=true").json.object)
            #expect(dead["deleted"] == true && dead["name"] == "two")
            dead["deleted"] = false
            dead["name"] = "three"
            #expect(try await send("PUT", "/datasync", .object(dead)).status == 410)
            let back = try await send("PUT", "/datasync?__includedeleted=true", .object(dead))
            #expect(back.status == 200 && back.json["name"] == "three" && back.json["deleted"] == false, "\(back.text)")
        }
    }
}
