import Foundation
import OAuth
import Testing

/// A value that a server must return as it was written.
struct RoundTrip: Sendable, CustomTestStringConvertible {
    let name: String
    let column: String
    /// The value as the client's `JSON.stringify` writes it.
    let written: String
    /// The value that the server returns, or `nil` for the same value as `written`.
    var read: JSONValue?

    var testDescription: String { name }

    init(_ name: String, _ column: String, _ written: String, read: JSONValue? = nil) {
        self.name = name
        self.column = column
        self.written = written
        self.read = read
    }

    var expected: JSONValue { read ?? ((try? StrictJSON.parse(Array("[\(written)]".utf8)))?.array?.first ?? .null) }

    /// All values of the client's end-to-end suite, and some others.
    static let all = texts + dates + flags + numbers

    private static func text(_ name: String, _ value: String) -> RoundTrip {
        RoundTrip("text: \(name)", "string1", JSONValue.string(value).text, read: .string(value))
    }

    private static let texts = [
        text("empty", ""), RoundTrip("text: null", "string1", "null"), text("one blank", " "),
        text("every printable ASCII character", String(decoding: Array(UInt8(0x20)...0x7E), as: UTF8.self)),
        text("1000 characters", String(repeating: "*", count: 1000)),
        text("more than 64k characters", String(repeating: "*", count: 65_537)),
        text("tabs and ends of lines", "one\ttwo\r\nthree\u{B}"),
        text("Latin", "Ça été là où naît l'œuvre, señor Ñandú"),
        text("Arabic", "القطة على السجادة"), text("Chinese", "猫在垫子上"),
        text("Chinese, rare characters", "①Ⅻㄨㄩ 啊鼾齄 丂狚 狜狝﨨﨩 ˊˋ˙〇 㐀䶵"), text("Japanese", "猫はマットの上に"),
        text("Hebrew", "החתול על השטיח"), text("Russian", "кошка на коврике"), text("beyond 16 bits", "𝒳 and 🚲"),
        text("a character zero", "a\u{0}b"),
        text("an accent as a character of its own", "e\u{301}"),
        text("what looks like a date", "2015-13-45T99:00:00.000Z"),
        text("what looks like SQL", "'; drop table movies; --"),
    ]

    private static func date(_ name: String, _ value: String) -> RoundTrip {
        RoundTrip("date: \(name)", "date1", JSONValue.string(value).text)
    }

    private static let dates = [
        date("now, to the millisecond", "2026-03-04T05:06:07.089Z"), RoundTrip("date: null", "date1", "null"),
        date("the beginning of 1970", "1970-01-01T00:00:00.000Z"), date("just before it", "1969-12-31T23:59:59.999Z"),
        date("just after it", "1970-01-01T00:00:00.001Z"), date("long ago", "1901-02-03T04:05:06.007Z"),
        date("far ahead", "9876-05-04T03:02:01.000Z"), date("a day that leaps", "2024-02-29T12:00:00.500Z"),
    ]

    private static let flags = [
        RoundTrip("flag: true", "bool1", "true"), RoundTrip("flag: false", "bool1", "false"),
        RoundTrip("flag: null", "bool1", "null"),
    ]

    private static let numbers = [
        RoundTrip("number: zero", "number", "0"), RoundTrip("number: positive", "number", "12345678"),
        RoundTrip("number: negative", "number", "-1232435"),
        RoundTrip("number: the largest that counts exactly", "number", "9007199254740991"),
        // JavaScript writes 2^60 - 1 and -2^60 with the shortest sufficient digits, padded with zeros.
        RoundTrip("number: large", "number", "1152921504606847000", read: .double(0x1p60)),
        RoundTrip("number: large and negative", "number", "-1152921504606847000", read: .double(-0x1p60)),
        RoundTrip("number: with a fraction", "number", "12345.678"),
        RoundTrip("number: of many digits", "number", "0.1234567890123456"),
        RoundTrip("number: infinite, which JSON has as null", "number", "null"),
        RoundTrip("number: the largest", "number", "1.7976931348623157e+308"),
        RoundTrip("number: the smallest", "number", "5e-324"),
        RoundTrip("number: of many zeros", "number", "1.234e+123"),
    ]
}

extension Compatibility {
    /// Tests of values that are written and read back.
    @Suite struct RoundTrips {
        @Test("a value reads back unchanged, in columns that inserts add", arguments: RoundTrip.all)
        func values(_ value: RoundTrip) async throws {
            let table = try Server.here().client.table("intidroundtriptable")
            // The columns get their types from the values of the first row.
            let setup = #"{"string1":"test","date1":"2026-01-01T00:00:00.000Z","bool1":true,"number":-1}"#
            #expect(try await table.insert(text: setup).status == 201)
            let inserted = try await table.insert(text: "{\"\(value.column)\":\(value.written)}")
            #expect(inserted.status == 201, "\(inserted.text.prefix(300))")
            let id = try #require(inserted.json["id"])
            #expect(Self.same(inserted.json[value.column], value.expected))
            #expect(Self.same(try await table.lookUp(id).json[value.column], value.expected))
            let list = try await table.read("$filter=(id eq \(id.text))")
            #expect(Self.same(list.rows.first?[value.column], value.expected))
        }

        @Test(
            "a row of several types reads back unchanged, with and without its own id",
            arguments: [
                nil, "id-", "ça été là", "القطة على السجادة", "猫在垫子上", "החתול על השטיח",
            ] as [String?]
        )
        func rows(_ id: String?) async throws {
            let table = try Server.here().client.table("roundtriptable")
            var row: [String: JSONValue] = [
                "name": "ça été - القطة - 猫在垫子上 - 猫はマットの上に - החתול", "number": .double(.greatestFiniteMagnitude),
                "integer": 2,
                "bool": true, "date1": "1999-08-07T06:05:04.321Z",
            ]
            if let id { row["id"] = .string("\(id)-\(UUID().uuidString)") }
            let inserted = try await table.insert(.object(row))
            #expect(inserted.status == 201, "\(inserted.text)")
            let read = try await table.lookUp(inserted.json["id"]).json
            for (name, value) in row { #expect(Self.same(read[name], value), "\(name)") }
            let again = try await table.insert(["id": read["id"] ?? nil, "name": "something"])
            #expect(again.status == 409)
        }

        @Test(
            "lists and objects are rejected as values, and nothing is written",
            arguments: [
                #"{"name":"hello","unsupported":{"arr":[1,3,4]}}"#, #"{"name":["a"]}"#, #"{"name":{}}"#,
            ]
        )
        func nested(_ body: String) async throws {
            let client = try Server.here().client
            for table in ["roundTripTable", "dynamic"] {
                let before = try await client.table(table).read("$inlinecount=allpages&$top=0").json["count"]
                let answer = try await client.table(table).insert(text: body)
                #expect(answer.status == 400 && answer.json["code"] == 400, "\(answer.text)")
                #expect(try await client.table(table).read("$inlinecount=allpages&$top=0").json["count"] == before)
            }
        }

        @Test("an insert adds an unknown column with the type of its value") func dynamic() async throws {
            let table = try Server.here().client.table("dynamic")
            let row: JSONValue = ["aText": "x", "aNumber": 1.5, "aFlag": true, "aDate": "2020-01-02T03:04:05.006Z"]
            let first = try await table.insert(row)
            #expect(first.status == 201, "\(first.text)")
            let read = try await table.lookUp(first.json["id"]).json
            for (name, value) in row.object ?? [:] { #expect(read[name] == value, "\(name)") }
            #expect(try await table.read("$filter=(year(aDate) eq 2020)").rows.count == 1)
            // A row that already exists has `null` in a new column.
            let second = try await table.insert(["anotherText": "y"])
            #expect(second.status == 201)
            #expect(try await table.lookUp(first.json["id"]).json["anotherText"] == .null)
            #expect(try await table.insert(["aNumber": "text"]).status == 400)
        }

        @Test("an unknown column of a fixed table is rejected, and the most similar one is named")
        func fixed() async throws {
            let answer = try await Server.here().client.table("roundTripTable").insert(["nmae": "x"])
            #expect(answer.status == 400 && answer.json["error"]?.string?.contains("name") == true, "\(answer.text)")
        }

        @Test("column names are case-insensitive, and returned as declared") func letters() async throws {
            let table = try Server.here().client.table("roundTripTable")
            let answer = try await table.insert(["NAME": "x", "Number": 1])
            #expect(answer.status == 201 && answer.json["name"] == "x" && answer.json["number"] == 1, "\(answer.text)")
        }

        @Test(
            "a value that its column cannot store is rejected",
            arguments: [
                #"{"number":"12"}"#, #"{"bool":1}"#, #"{"name":7}"#, #"{"date1":"yesterday"}"#, #"{"date1":5}"#,

            ]
        )
        func types(_ body: String) async throws {
            let answer = try await Server.here().client.table("roundTripTable").insert(text: body)
            #expect(answer.status == 400 && answer.json["error"]?.string?.isEmpty == false, "\(answer.text)")
            #expect(answer.json["column"]?.string.map { body.contains("\"\($0)\"") } == true, "\(answer.text)")
        }

        @Test("a number with too many digits is rejected, and named") func digits() async throws {
            let table = try Server.here().client.table("roundTripTable")
            for digits in ["9007199254740993", "-1152921504606847001", "18446744073709551617"] {
                let answer = try await table.insert(text: "{\"number\":\(digits)}")
                #expect(answer.status == 400 && answer.json["error"]?.string?.isEmpty == false, "\(answer.text)")
            }
            let large = try await table.insert(text: #"{"number":18446744073709552000}"#)
            #expect(large.status == 201 && large.json["number"]?.double == 0x1p64, "\(large.text)")
        }

        @Test("posts and their comments use two tables") func blog() async throws {
            let client = try Server.here().client
            let posts = client.table("blog_posts")
            let comments = client.table("blog_comments")
            let first = try await posts.insert(["title": "Release notes"]).row
            let second = try await posts.insert(["title": "Roadmap"]).row
            for (post, text) in [(first, "runs well"), (second, "at last"), (first, "more")] {
                let row: JSONValue = ["postid": post["id"] ?? nil, "name": "Somebody", "commentText": .string(text)]
                #expect(try await comments.insert(row).status == 201)
            }
            let ids = [first, second].compactMap { $0["id"]?.string }
            // The client puts a filter string into parentheses, and does not escape it.
            let both = try await posts.read("$filter=(id eq '\(ids[0])' or id eq '\(ids[1])')")
            #expect(Set(both.ids) == Set(ids))
            let found = try await comments.read("$filter=(postid eq '\(ids[0])')&$orderby=createdAt")
            #expect(found.rows.map { $0["commentText"] } == ["runs well", "more"])
        }

        /// Whether two values are equal.
        ///
        /// Numbers are compared by their value in JavaScript, regardless of their notation.
        static func same(_ value: JSONValue?, _ expected: JSONValue) -> Bool {
            if let number = value?.double, let wanted = expected.double { return number == wanted }
            return value == expected
        }
    }
}
