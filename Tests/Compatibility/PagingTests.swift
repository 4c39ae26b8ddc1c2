import OAuth
import Testing

extension Compatibility {
    @Suite struct Paging {
        @Test("a list without $top has 50 rows and a link to the next page") func standard() async throws {
            let client = try Server.here().client
            let first = try await client.table("movies").read()
            #expect(first.ids == Movie.all.prefix(50).map(\.id))
            let link = try #require(first.nextLink, "\(first["Link"] ?? "no Link")")
            #expect(link.hasPrefix("http://127.0.0.1:\(client.port)/tables/movies?") && !link.contains("<"))
        }

        @Test("following the links from page to page finds every row once") func links() async throws {
            let client = try Server.here().client
            var answer = try await client.table("movies").read(
                "$filter=(year ge 1950)&$orderby=year desc,title",
                [("mine", "a b&c")]
            )
            var ids = answer.ids
            var pages = 1
            while let link = answer.nextLink, pages < 20 {
                #expect(link.contains("mine=a%20b%26c") || link.contains("mine=a+b%26c"), "\(link)")
                // The client does not change an absolute URL.
                answer = try await client.send("GET", link, codes: ["TR"])
                #expect(answer.status == 200)
                ids += answer.ids
                pages += 1
            }
            let expected = Movie.all.filter { $0.year >= 1950 }
                .sorted { ($1.year, $0.sortTitle) < ($0.year, $1.sortTitle) }
            #expect(ids == expected.map(\.id) && pages == (expected.count + 49) / 50)
        }

        @Test("the last page has no link") func end() async throws {
            let table = try Server.here().client.table("movies")
            #expect(try await table.read("$top=10").nextLink == nil)
            #expect(try await table.read("$skip=\(Movie.count - 3)").nextLink == nil)
            #expect(try await table.read("$top=500").nextLink == nil)
        }

        @Test("up to 1000 rows are returned at once on request") func large() async throws {
            let table = try Server.here().client.table("movies")
            #expect(try await table.read("$top=1000").rows.count == Movie.count)
            #expect(try await table.read("$top=200&$skip=20").ids == Movie.all[20..<220].map(\.id))
        }

        @Test("zero rows can be requested, with their count") func none() async throws {
            let table = try Server.here().client.table("movies")
            #expect(try await table.read("$top=0").json == [])
            let counted = try await table.read("$top=0&$inlinecount=allpages")
            #expect(counted.json == ["results": [], "count": .int(Int64(Movie.count))])
        }

        @Test("a count includes all matching rows, and is returned only on request") func counts()
            async throws
        {
            let table = try Server.here().client.table("movies")
            let winners = Movie.all.filter(\.isWinner)
            let answer = try await table.read("$filter=bestPictureWinner&$top=5&$inlinecount=allpages")
            #expect(answer.json["count"] == .int(Int64(winners.count)) && answer.rows.count == 5)
            #expect(try await table.read("$top=5&$inlinecount=none").json.array?.count == 5)
        }

        @Test("every page of a deep list is correct", arguments: [0, 49, 50, 51, 199, 239, 240, 100_000])
        func deep(_ skip: Int) async throws {
            let table = try Server.here().client.table("movies")
            let expected = Movie.all.sorted { $0.sortTitle < $1.sortTitle }.dropFirst(skip).prefix(7)
            #expect(try await table.read("$orderby=title&$skip=\(skip)&$top=7").ids == expected.map(\.id))
        }

        @Test(
            "invalid parts of lists are rejected",
            arguments: [
                "$top=-1", "$top=x", "$top=1001", "$top=99999999999999999999", "$skip=-1", "$skip=x", "$top=",
                "$inlinecount=some",
            ]
        )
        func impossible(_ query: String) async throws {
            let answer = try await Server.here().client.table("movies").read(query, raw: true)
            #expect(answer.status == 400 && answer.json["error"]?.string?.isEmpty == false, "\(answer.text)")
        }

        @Test("$count in protocol 3.0.0 returns the items and their count") func newer() async throws {
            let client = try Server.here().client
            let answer = try await client.send(
                "GET",
                "/tables/movies?$filter=year ge 2000&$count=true&$top=3",
                fields: [("ZUMO-API-VERSION", "3.0.0")]
            )
            #expect(answer.status == 200 && answer.json["items"]?.array?.count == 3, "\(answer.text)")
            #expect(answer.json["count"] == .int(Int64(Movie.all.filter { $0.year >= 2000 }.count)))
        }
    }

    @Suite struct Ordering {
        @Test("texts are sorted linguistically: accents count after letters, and case last") func linguistic()
            async throws
        {
            let table = try Server.here().client.table("sorted")
            let expected = [
                "abbey", "Abel", "âge", "Amélie", "Amores", "cote", "coté", "côte", "côté", "Élan", "elbow", "Zebra",
                "Zürich",
            ]
            for title in expected.reversed() {
                #expect(try await table.insert(["title": .string(title)]).status == 201)
            }
            let up = try await table.read("$orderby=title").rows.map { $0["title"]?.string ?? "" }
            #expect(
                Set(up) == Set(expected) && up.filter { !$0.hasPrefix("c") } == expected.filter { !$0.hasPrefix("c") }
            )
            // Languages differ in whether the first or the last accent decides the order.
            let accents = up.filter { $0.hasPrefix("c") }
            #expect(accents.first == "cote" && accents.last == "côté")
            let down = try await table.read("$orderby=title desc").rows.map { $0["title"]?.string ?? "" }
            #expect(down == up.reversed())
        }

        @Test("rows that are equal in the order are sorted by id, so that pages do not overlap")
        func ties() async throws {
            let table = try Server.here().client.table("movies")
            let all = try await table.read("$orderby=bestPictureWinner desc&$top=240").ids
            let expected = Movie.all.filter(\.isWinner) + Movie.all.filter { !$0.isWinner }
            #expect(all == expected.map(\.id))
            #expect(try await table.read("$orderby=bestPictureWinner desc&$top=7&$skip=37").ids == Array(all[37..<44]))
        }

        @Test("rows without a value come first, and last in descending order") func nulls() async throws {
            let table = try Server.here().client.table("movies")
            let up = try await table.read("$orderby=mpaaRating&$top=240").rows.map { $0["mpaaRating"] ?? .null }
            let none = up.filter(\.isNull).count
            #expect(none > 0 && up.firstIndex { !$0.isNull } == none)
            let down = try await table.read("$orderby=mpaaRating desc&$top=240").rows.map { $0["mpaaRating"] ?? .null }
            #expect(down.lastIndex { !$0.isNull } == down.count - none - 1)
        }

        @Test(
            "rows are sorted by creation time, update time and version",
            arguments: ["createdAt", "updatedAt", "version"]
        )
        func system(_ column: String) async throws {
            let table = try Server.here().client.table("blog_posts")
            for row in try await table.read("$top=1000").rows { _ = try await table.delete(row) }
            for id in ["1", "2", "3", "4", "5"] { _ = try await table.insert(["id": .string(id), "title": "value"]) }
            #expect(try await table.read("$orderby=\(column)").ids == ["1", "2", "3", "4", "5"])
            let rows = try await table.read("$select=id,\(column)").rows
            #expect(
                rows.count == 5 && rows.allSatisfy { $0[column]?.string?.isEmpty == false && $0.object?.count == 2 }
            )
        }

        @Test("an order can be an expression") func expressions() async throws {
            let table = try Server.here().client.table("movies")
            let answer = try await table.read("$orderby=length(title) desc,year&$top=5", raw: true)
            #expect(answer.status == 200, "\(answer.text)")
            let longest = Movie.all.map { $0.title.count }.max() ?? 0
            #expect(answer.rows.first?["title"]?.string?.count == longest)
        }

        @Test(
            "an order by an unknown column is rejected",
            arguments: ["$orderby=absent", "$orderby=title up", "$orderby=title,,year", "$select=absent"]
        )
        func impossible(_ query: String) async throws {
            let answer = try await Server.here().client.table("movies").read(query, raw: true)
            #expect(answer.status == 400, "\(answer.text)")
        }
    }
}
