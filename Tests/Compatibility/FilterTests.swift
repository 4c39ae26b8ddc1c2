import OAuth
import Testing

extension Compatibility {
    /// Tests of all filter operators and functions, as other platforms' clients and handwritten URLs use them.
    @Suite struct Filters {
        @Test("a filter finds the rows that it describes", arguments: cases)
        func finds(_ query: QueryCase) async throws {
            let answer = try await Server.here().client.table("movies").read(query.query, raw: true)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.ids == query.expected.map(\.id))
        }

        private static func find(_ name: String, _ filter: String, _ isWanted: (Movie) -> Bool) -> QueryCase {
            QueryCase(name, filter, "$top=1000", where: isWanted, top: 1000)
        }

        private static let cases = [
            find("a part of a text", "substringof('father',title)") { $0.title.contains("father") },
            find("a part of a text, in the newer words", "contains(title,'father')") { $0.title.contains("father") },
            find("a beginning, with case", "startswith(title,'the')") { $0.title.hasPrefix("the") },
            find("an end", "endswith(title,'er')") { $0.title.hasSuffix("er") },
            find("an end that is not there", "not endswith(title,'er')") { !$0.title.hasSuffix("er") },
            find("signs that SQL would take for any letter", "substringof('%25',title) or startswith(title,'_')") { _ in
                false
            },
            find("texts put together", "concat(concat(title,' '),mpaaRating) eq 'The Lantern R'") {
                $0.title == "The Lantern" && $0.rating == "R"
            },
            find("a part of a text to its end", "substring(title,4) eq 'Lantern'") {
                $0.title.dropFirst(4) == "Lantern"
            },
            find("a text that is not found", "indexof(title,'father') eq -1") { !$0.title.contains("father") },
            find("letters replaced", "replace(title,'father','mother') eq 'The Godmother'") {
                $0.title == "The Godfather"
            },
            find("letters counted behind blanks", "length(concat(title,' ')) eq 2") { $0.title.count == 1 },
            find("letters with accents in lower case", "tolower(title) eq 'été café'") {
                $0.title.lowercased() == "été café"
            },
            find("letters with accents in upper case", "toupper(title) eq 'ÉTÉ CAFÉ'") {
                $0.title.uppercased() == "ÉTÉ CAFÉ"
            },
            find("texts in the order of their characters", "title lt 'B'") {
                $0.title.unicodeScalars.first.map { $0 < "B" } == true
            },
            find("a remainder", "(year mod 10) eq 3") { $0.year % 10 == 3 },
            find("a product", "(duration mul 2) ge 400") { $0.duration * 2 >= 400 },
            find("a number below zero", "(0 sub year) lt -2000") { -$0.year < -2000 },
            find("a sign before a column", "-year lt -2000") { -$0.year < -2000 },
            find(
                "numbers with letters behind them",
                "year ge 2000L and duration lt 100.5m and duration ge 1e1d and year lt 3000f"
            ) {
                $0.year >= 2000 && $0.duration < 100
            },
            find("halves rounded away from zero", "round(duration div 2.0) eq 46") {
                (Double($0.duration) / 2).rounded() == 46
            },
            find(
                "the hour, minute and second of dates",
                "hour(releaseDate) eq 0 and minute(releaseDate) eq 0 and second(releaseDate) eq 0"
            ) { _ in true },
            find("a date with its distance to UTC", "releaseDate eq datetimeoffset'1994-10-14T02:00:00%2B02:00'") {
                $0.releaseDate.hasPrefix("1994-10-14")
            },
            find("a date without a word before it", "releaseDate ge 2000-01-01T00:00:00Z") { $0.released.year >= 2000 },
            find("a date as Datasync writes it", "releaseDate gt cast(2000-01-01T00:00:00.000Z,Edm.DateTimeOffset)") {
                $0.releaseDate > "2000-01-01T00:00:00.000Z"
            },
            find("one of a list, in the newer words", "mpaaRating in ('G','PG')") { ["G", "PG"].contains($0.rating) },
            find("a column that is a flag", "bestPictureWinner") { $0.isWinner },
            find("a column that is no flag set", "not bestPictureWinner") { !$0.isWinner },
            find("a flag before a part in parentheses", "(not bestPictureWinner and (duration gt 200))") {
                !$0.isWinner && $0.duration > 200
            },
            find("what is always so", "(1 eq 1)") { _ in true },
            find("what is never so", "(1 eq 0)") { _ in false },
            find("and before or", "year eq 1930 or year eq 1937 and duration gt 1000") { $0.year == 1930 },
            find("quotes within a text", "title eq 'it''s' or title eq 'My River'") { $0.title == "My River" },
            find("columns in another case", "BESTPICTUREWINNER eq true and Year gt 2000") {
                $0.isWinner && $0.year > 2000
            },
            find("many blanks", "%20%20year%20%20eq%20%201930%20") { $0.year == 1930 },
            find("plus signs for blanks", "year+eq+1930") { $0.year == 1930 },
            find(
                "what the client for iOS makes of BETWEEN and IN",
                "((year ge 1990) and (year le 1995)) and ((mpaaRating eq 'R') or (mpaaRating eq 'G'))"
            ) { (1990...1995).contains($0.year) && ["R", "G"].contains($0.rating) },
            find("what the client for iOS makes of CONTAINS[c]", "substringof(tolower('FATHER'),tolower(title))") {
                $0.title.lowercased().contains("father")
            },
        ]

        @Test(
            "a filter with a syntax error is rejected with its position",
            arguments: [
                "year eq", "(year eq 1", "year eq 1)", "year = 1", "'open", "year eq 1 and", "eq 1",
                "unknown(title) eq 1",
                "length(title,1) eq 1", "substring(title) eq 'a'", "replace(replace(title,'a','b'),'c','d') eq 'x'",
                "datetime'yesterday' eq releaseDate", "title eq 'a' title", "year eq 'text'", "absent eq 1", "()",
                "releaseDate gt cast(yesterday,Edm.DateTimeOffset)",
            ]
        )
        func unreadable(_ filter: String) async throws {
            let answer = try await Server.here().client.table("movies").read("$filter=\(filter)", raw: true)
            #expect(answer.status == 400 && answer.json["code"] == 400, "\(answer.status) \(answer.text.prefix(200))")
            #expect(answer.json["error"]?.string?.isEmpty == false)
        }

        @Test("texts with a null character are compared completely") func zero() async throws {
            let table = try Server.here().client.table("roundTripTable")
            for name in ["zero\u{0}one", "zero\u{0}two"] {
                #expect(try await table.insert(["name": .string(name)]).status == 201)
            }
            for filter in [
                "name eq 'zero%00two'", "name in ('x','zero%00two')", "name gt 'zero%00s'", "indexof(name,'%00t') eq 4",
            ] {
                let found = try await table.read("$filter=\(filter) and startswith(name,'zero')", raw: true)
                #expect(found.rows.map { $0["name"] } == ["zero\u{0}two"], "\(filter): \(found.text)")
            }
        }

        @Test("an empty filter matches all rows") func empty() async throws {
            let answer = try await Server.here().client.table("movies").read("$filter=&$top=2", raw: true)
            #expect(answer.status == 200 && answer.ids == ["Movie 000", "Movie 001"], "\(answer.text)")
        }

        @Test("a filter that is too long or too deep is rejected, and the server continues")
        func hostile() async throws {
            let table = try Server.here().client.table("movies")
            let deep = String(repeating: "(", count: 2000) + "1 eq 1" + String(repeating: ")", count: 2000)
            let long = "title eq '" + String(repeating: "x", count: 9000) + "'"
            let negations = String(repeating: "not ", count: 1500) + "bestPictureWinner"
            for filter in [deep, long, negations] {
                let status = try await table.read("$filter=\(filter)", raw: true).status
                #expect(status == 400 || status == 414, "\(status)")
            }
            #expect(try await table.read("$top=1").status == 200)
        }

        @Test(
            "custom parameters have no effect",
            arguments: [
                [("myKey1", "value1"), ("myKey2", "value2")], [("names", "a"), ("names", "b")], [("empty", "")],
                [("name+with special&chars", "`!@#$%^&*()-=[]\\;',./~_+{}|:\"<>?")],
                [("latin", "ça"), ("arabic", "القطة")],
            ]
        )
        func parameters(_ parameters: [(String, String)]) async throws {
            let table = try Server.here().client.table("movies")
            #expect(try await table.read("$top=2", parameters).ids == ["Movie 000", "Movie 001"])
            #expect(try await table.lookUp("Movie 001", parameters).json["id"] == "Movie 001")
        }

        @Test(
            "reserved parameters are rejected",
            arguments: ["$expand", "$unknown", "__mine"]
        )
        func reserved(_ name: String) async throws {
            let answer = try await Server.here().client.table("movies").read("\(name)=x", raw: true)
            #expect(answer.status == 400 && answer.json["error"]?.string?.contains(name) == true, "\(answer.text)")
        }
    }
}
