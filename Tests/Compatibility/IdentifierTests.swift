import OAuth
import Testing

extension Compatibility {
    /// Tests of row ids, and of operations on a row by its id.
    @Suite struct IdentifierBehaviour {
        @Test("a row with any valid id can be inserted, read, updated and deleted", arguments: Identifiers.possible)
        func life(_ id: String) async throws {
            let table = try Server.here().client.table("roundtriptable")
            let inserted = try await table.insert(["id": .string(id), "name": "Hey"])
            #expect(inserted.status == 201 && inserted.row["id"]?.string == id, "\(inserted.text)")
            #expect(try await table.lookUp(.string(id)).row["id"] == .string(id))
            let refreshed = try await table.refresh(.string(id)).rows
            #expect(refreshed.map { $0["name"] } == ["Hey"])
            #expect(try await table.read("$filter=(id eq \(JavaScriptClient.literal(id)))").ids == [id])
            #expect(try await table.insert(["id": .string(id), "name": "twice"]).status == 409)
            let updated = try await table.update(["id": .string(id), "name": "Hello"])
            #expect(updated.status == 200 && updated.json["name"] == "Hello")
            #expect(try await table.delete(["id": .string(id)]).status == 200)
            #expect(try await table.lookUp(.string(id)).status == 404)
            #expect(try await table.refresh(.string(id)).json == [])
            #expect(try await table.update(["id": .string(id), "name": "Alright"]).status == 404)
            #expect(try await table.delete(["id": .string(id)]).status == 404)
        }

        @Test("a row with an invalid id is rejected", arguments: Identifiers.impossible)
        func impossible(_ id: String) async throws {
            let answer = try await Server.here().client.table("roundtriptable").insert([
                "id": .string(id), "name": "Hey",
            ])
            #expect(answer.status == 400 && answer.json["code"] == 400, "\(answer.text)")
        }

        @Test(
            "the server assigns an id to a row with a missing, empty or null one",
            arguments: [
                [:], ["id": ""], ["id": nil],
            ] as [[String: JSONValue]]
        )
        func made(_ members: [String: JSONValue]) async throws {
            let table = try Server.here().client.table("roundTripTable")
            let answer = try await table.insert(.object(members.merging(["name": "new"]) { $1 }))
            let id = try #require(answer.json["id"]?.string)
            #expect(answer.status == 201 && id.count == 36 && id == id.lowercased())
            #expect(try await table.lookUp(.string(id)).json["name"] == "new")
        }

        @Test("the name id is accepted in any case with a text", arguments: ["Id", "ID", "iD"])
        func letters(_ name: String) async throws {
            let table = try Server.here().client.table("roundTripTable")
            let id = "case \(name)"
            let answer = try await table.insert(.object([name: .string(id), "name": "x"]))
            #expect(
                answer.status == 400 || (answer.status == 201 && answer.json["id"] == .string(id)),
                "\(answer.text)"
            )
        }

        @Test("a numeric id is rejected where ids are texts") func numberForText() async throws {
            let answer = try await Server.here().client.table("roundTripTable").insert(["id": 12, "name": "x"])
            #expect(answer.status == 400, "\(answer.text)")
        }

        @Test(
            "the server assigns numeric ids, and 0, empty and null mean no id",
            arguments: [
                [:], ["id": 0], ["id": ""], ["id": nil],
            ] as [[String: JSONValue]]
        )
        func counted(_ members: [String: JSONValue]) async throws {
            let table = try Server.here().client.table("intidroundtriptable")
            let first = try await table.insert(.object(members.merging(["name": "Hey"]) { $1 }))
            let second = try await table.insert(.object(members.merging(["name": "Hey"]) { $1 }))
            let id = try #require(first.json["id"]?.int, "\(first.text)")
            #expect(first.status == 201 && id > 0 && second.json["id"] == .int(id + 1))
            #expect(try await table.lookUp(.int(id)).json["id"] == .int(id))
        }

        @Test("a row with a numeric id is found, updated, read again and deleted by it") func numbers() async throws {
            let table = try Server.here().client.table("intidroundtriptable")
            let id = try #require(try await table.insert(["name": "Hey"]).json["id"])
            let read = try await table.read("$filter=(id eq \(id.text))&$select=id,name")
            #expect(read.json == [["id": id, "name": "Hey"]])
            var row = try await table.lookUp(id).row.object ?? [:]
            row["name"] = "What?"
            #expect(try await table.update(.object(row)).json["name"] == "What?")
            let refreshed = try await table.refresh(id).rows
            #expect(refreshed.map { $0["name"] } == ["What?"])
            #expect(try await table.delete(["id": id]).status == 200)
            #expect(try await table.lookUp(id).status == 404)
        }

        @Test("unknown numeric ids are 404 for all operations", arguments: [1_234_567_890, 987_654_321])
        func absentNumbers(_ id: Int64) async throws {
            let table = try Server.here().client.table("intidroundtriptable")
            #expect(try await table.lookUp(.int(id)).status == 404)
            #expect(try await table.update(["id": .int(id), "name": "x"]).status == 404)
            #expect(try await table.delete(["id": .int(id), "name": "x"]).status == 404)
        }

        @Test("invalid numeric ids match no row", arguments: [-1, 0])
        func impossibleNumbers(_ id: Int64) async throws {
            let answer = try await Server.here().client.table("intidmovies").lookUp(.int(id))
            #expect(answer.status == 404 || answer.status == 400)
        }

        @Test("a numeric id chosen by the client is rejected") func chosen() async throws {
            let table = try Server.here().client.table("intidroundtriptable")
            for name in ["id", "Id", "ID"] {
                let answer = try await table.insert(.object([name: 1, "name": "hello"]))
                #expect(answer.status == 400 || answer.status == 409, "\(answer.text)")
            }
        }

        @Test("a body with a different id than the path is rejected") func twoIDs() async throws {
            let server = try Server.here()
            let table = server.client.table("roundTripTable")
            for id in ["two ids", "other id"] { _ = try await table.insert(["id": .string(id), "name": "x"]) }
            let answer = try await server.client.send(
                "PATCH",
                "/tables/roundTripTable/two%20ids",
                body: Array(#"{"id":"other id","name":"y"}"#.utf8)
            )
            #expect(
                answer.status == 400 && answer.json["error"] == "The item ID does not match the ID in the query string"
            )
            #expect(try await table.lookUp("two ids").json["name"] == "x")
        }

        @Test("table names are case-insensitive") func tables() async throws {
            let client = try Server.here().client
            for name in ["movies", "MOVIES", "Movies"] {
                #expect(try await client.table(name).lookUp("Movie 007").json["id"] == "Movie 007")
            }
            #expect(try await client.table("absent").read().status == 404)
        }
    }
}
