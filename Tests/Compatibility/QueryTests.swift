import OAuth
import Testing

extension Compatibility {
    /// Tests of queries on the table with text ids and the table with numeric ids.
    @Suite struct Queries {
        @Test(
            "a query finds the rows that it describes, in order, with text and numeric ids",
            arguments: QueryCase.suite
        )
        func suite(_ query: QueryCase) async throws {
            let server = try Server.here()
            for table in ["movies", "intIdMovies"] {
                let isRaw = query.options.contains(" asc")
                let answer = try await server.client.table(table).read(query.query, raw: isRaw)
                #expect(answer.status == 200, "\(table): \(answer.text.prefix(300))")
                try Self.compare(answer, query, table)
            }
        }

        @Test("a query without matching rows returns an empty list, not an error") func nothing() async throws {
            let client = try Server.here().client
            let answer = try await client.table("movies").read("$filter=(year gt 3000)")
            #expect(answer.status == 200 && answer.json == [])
            let counted = try await client.table("movies").read("$filter=(year gt 3000)&$inlinecount=allpages")
            #expect(counted.json == ["results": [], "count": 0])
        }

        @Test("rows are found by the beginning of their ids") func byID() async throws {
            let answer = try await Server.here().client.table("movies").read("$filter=(indexof(id,'Movie%2012') eq 0)")
            #expect(answer.ids == (120...129).map { "Movie \($0)" })
        }

        @Test("a request for more than 1000 rows at once is rejected") func tooMany() async throws {
            let client = try Server.here().client
            for table in ["movies", "intIdMovies"] {
                let answer = try await client.table(table).read("$top=1001")
                #expect(answer.status == 400 && answer.json["code"] == 400)
                #expect(answer.json["error"]?.string?.contains("1000") == true)
            }
        }

        @Test("invalid ids match no row", arguments: Identifiers.impossible + [""])
        func impossibleIDs(_ id: String) async throws {
            let client = try Server.here().client
            let answer = try await client.table("roundTripTable").read(
                "$filter=(id eq \(JavaScriptClient.literal(id)))"
            )
            #expect(answer.status == 200 && answer.json == [], "\(answer.text)")
        }

        @Test("no row has a null id") func nullID() async throws {
            let answer = try await Server.here().client.table("roundTripTable").read("$filter=(id eq null)")
            #expect(answer.status == 200 && answer.json == [], "\(answer.text)")
        }

        private static func compare(_ answer: Answer, _ query: QueryCase, _ table: String) throws {
            if let total = query.total {
                #expect(answer.json["count"] == .int(Int64(total)), "\(table)")
                #expect(answer.json["results"] != nil)
            } else {
                #expect(answer.json.array != nil, "\(table)")
            }
            #expect(answer.rows.count == query.expected.count, "\(table)")
            for (row, movie) in zip(answer.rows, query.expected) {
                if let columns = query.columns {
                    #expect(row == .object(movie.values.filter { columns.contains($0.key) }), "\(table)")
                } else {
                    let id: JSONValue = table == "movies" ? .string(movie.id) : .int(Int64(movie.index + 1))
                    #expect(row["id"] == id, "\(table): \(row["id"]?.text ?? "") instead of \(id.text)")
                    let values = row.object?.filter { movie.values.keys.contains($0.key) }
                    #expect(values == movie.values, "\(table)")
                }
            }
        }
    }
}
