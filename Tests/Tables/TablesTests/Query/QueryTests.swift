import Tables
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct QueryTests {
    @Test("a query built by a program has the same meaning in a URL") func fluent() throws {
        let query = try Query().where("complete == NO AND duration > %@", 3).sort(by: "text")
            .sort(by: "due", descending: true).top(20).skip(40).select("id", "text").includeTotalCount()
            .parameter("k", "v&=+ é")
        #expect(
            query.urlQuery()
                == "$filter=complete%20eq%20false%20and%20duration%20gt%203&$orderby=text,due%20desc&$skip=40&$top=20"
                + "&$select=id,text&$inlinecount=allpages&k=v%26%3D%2B%20%C3%A9"
        )
        #expect(try Query(url: query.urlQuery()) == query)
        #expect(query.urlQuery(.v3)?.contains("$count=true") == true)
        #expect(Query().urlQuery() == nil)
        #expect(!Query().includesTotalCount)
    }

    @Test("conditions add up, each in its own parentheses") func conditions() throws {
        let query = try Query().where("a == 1 OR b == 2").where("c == 3 OR d == 4")
        #expect(query.filter?.text == "(a eq 1 or b eq 2) and (c eq 3 or d eq 4)")
    }

    @Test("a written query parses as the same query, in every dialect", arguments: Query.Dialect.allCases)
    func roundTrip(_ dialect: Query.Dialect) throws {
        for seed in 0..<200 {
            var trees = RandomTrees(seed: UInt64(seed))
            var query = Query()
            if trees.random.below(3) > 0 { query.filter = try Filter(trees.tree(4)) }
            query.order = (0..<trees.random.below(3)).map { SortTerm(trees.tree(2), isDescending: $0 == 1) }
            if trees.random.below(2) > 0 { query.top = trees.random.below(1001) }
            if trees.random.below(2) > 0 { query.skip = trees.random.below(100_000) }
            query.selection = trees.random.below(2) > 0 ? ["id", "Text"] : []
            query.includesTotalCount = trees.random.below(2) > 0
            query.includesDeleted = trees.random.below(2) > 0
            if trees.random.below(2) > 0 { query.systemProperties = SystemProperties(rawValue: trees.random.below(16)) }
            for index in 0..<trees.random.below(3) {
                query = try query.parameter("p\(index)" + trees.string(), trees.string())
            }
            let address = query.urlQuery(dialect)
            let again = try Query(url: address, dialect: dialect)
            try #require(again == query, "\(address ?? "")")
            for (a, b) in zip(again.parameters, query.parameters) { #expect(a.value.utf8.elementsEqual(b.value.utf8)) }
        }
    }

    @Test("queries of the official clients are parsed") func captured() throws {
        let query = try Query(
            url:
                "$filter=((not%20complete%20and%20(duration%20gt%201))%20and%20(indexof(tolower(text),'o''a')%20ge%200))"
                + "&$orderby=duration,text%20desc&$top=2&$select=id,text&$inlinecount=allpages&myKey1=value1"
        )
        #expect(query.filter?.text.hasPrefix("(not complete") == true)
        #expect(query.order == [SortTerm("duration"), SortTerm("text", isDescending: true)])
        #expect(query.top == 2 && query.skip == nil && query.includesTotalCount)
        #expect(query.selection == ["id", "text"])
        #expect(query.parameters == [Query.Parameter("myKey1", "value1")])
    }

    @Test("option names are case-insensitive, and empty options count as absent") func spelling() throws {
        let query = try Query(
            url:
                "&$FILTER=a%20eq%20'b+c'&%24Top=0&$orderby=&$select=*&$count=TRUE&__INCLUDEDELETED=yes&&x&x=1&zumo-api-version=2.0.0"
        )
        #expect(query.filter?.text == "a eq 'b c'")
        #expect(query.top == 0 && query.order.isEmpty && query.selection.isEmpty)
        #expect(query.includesTotalCount && query.includesDeleted)
        #expect(query.parameters == [Query.Parameter("x", ""), Query.Parameter("x", "1")])
        #expect(try Query(url: nil) == Query())
        #expect(try Query(url: "") == Query())
    }

    @Test(
        "deleted rows are included unless the value says no",
        arguments: [
            ("", false), ("false", false), ("FALSE", false), ("0", false), ("true", true), ("1", true), ("x", true),
        ]
    )
    func deleted(_ value: String, _ expected: Bool) throws {
        #expect(try Query(url: "__includeDeleted=\(value)").includesDeleted == expected)
    }

    @Test("a count is included only on request") func count() throws {
        #expect(try !Query(url: "$inlinecount=none").includesTotalCount)
        #expect(try !Query(url: "$count=false").includesTotalCount)
    }

    @Test(
        "system properties are parsed with and without prefix",
        arguments: [
            ("*", .all), ("__createdAt", .createdAt), ("CREATEDAT,%20__Version", [.createdAt, .version]), ("", []),
            ("__deleted,updatedAt", [.deleted, .updatedAt]),
            // The list may contain blank and empty members, and any whitespace around a name.
            ("__createdAt,", .createdAt), (",__createdAt", .createdAt),
            ("__createdAt,,__version", [.createdAt, .version]),
            ("__createdAt,%20,__version,", [.createdAt, .version]), ("%20updatedat%20,,", .updatedAt),
            ("%20*%20,", .all),
            ("%09*%09", .all), ("%0D__createdAt,%0A__updatedAt%09", [.createdAt, .updatedAt]), (",,%20", []),
            // The case of a name and its prefix do not matter.
            ("__createdat,__UPDATEDAT,veRsion", [.createdAt, .updatedAt, .version]),
        ] as [(String, SystemProperties)]
    )
    func systemProperties(_ value: String, _ expected: SystemProperties) throws {
        #expect(try Query(url: "__systemproperties=\(value)", dialect: .v1).systemProperties == expected)
        #expect(try Query(url: "x=1", dialect: .v1).systemProperties == nil)
    }

    @Test(
        "ambiguous or unsupported options are rejected by name",
        arguments: [
            ("$top=1001", "$top: You cannot request more than 1000 records"),
            ("$top=99999999999999999999", "$top: You cannot request more than 1000 records"),
            ("$top=-1", "$top: '-1' is not a valid number of rows (at position 0)"),
            ("$top=", "$top: '' is not a valid number of rows (at position 0)"),
            ("$top=%D9%A1", "$top: '\u{661}' is not a valid number of rows (at position 0)"),
            ("$skip=1.5", "$skip: '1.5' is not a valid number of rows (at position 0)"),
            ("$skip=2147483648", "$skip: You cannot skip more than 2147483647 records"),
            ("$inlinecount=some", "$inlinecount: must be allpages or none"),
            ("$count=1", "$count: must be true or false"),
            ("$filter=a&$Filter=b", "$Filter: must not be repeated"),
            ("$filter=a%20eq", "$filter: Syntax error (at position 4)"),
            ("$select=a,,b", "$select: Syntax error (at position 2)"),
            ("$select=a,%20b%20c", "$select: Syntax error (at position 3)"),
            (
                "$expand=x",
                "$expand: Invalid query parameter name '$expand'. Custom query parameter names must not start with $ or __."
            ),
            (
                "__x=1",
                "__x: Invalid query parameter name '__x'. Custom query parameter names must not start with $ or __."
            ),
            ("=x", "A query parameter needs a name."),
            ("__systemproperties=__x", "__systemproperties: '__x' is not a supported system property (at position 0)"),
            (
                "__systemproperties=version,updated%20At",
                "__systemproperties: 'updated At' is not a supported system property (at position 8)"
            ),
            (
                "__systemproperties=__created",
                "__systemproperties: '__created' is not a supported system property (at position 0)"
            ),
            (
                "__systemproperties=_version",
                "__systemproperties: '_version' is not a supported system property (at position 0)"
            ),
            (
                "__systemproperties=__createdAt%09__version",
                "__systemproperties: '__createdAt\t__version' is not a supported system property (at position 0)"
            ),
            (
                "__systemproperties=createdAt__version",
                "__systemproperties: 'createdAt__version' is not a supported system property (at position 0)"
            ),
            (
                "__systemproperties=*,__updatedAt",
                "__systemproperties: '__updatedAt' is not a supported system property (at position 2)"
            ),
            (
                "__systemproperties=__updatedAt,*",
                "__systemproperties: '*' is not a supported system property (at position 12)"
            ),
            ("$filter=%FF", "$filter: The query is not percent-encoded UTF-8"),
            ("$filter=%C3", "$filter: The query is not percent-encoded UTF-8"),
            ("$filter=%ED%A0%80", "$filter: The query is not percent-encoded UTF-8"),
            ("$filter=%C0%AF", "$filter: The query is not percent-encoded UTF-8"),
            ("$filter=%4", "$filter: The query is not percent-encoded UTF-8"),
            ("$filter=%zz", "$filter: The query is not percent-encoded UTF-8"),
            ("%FF=1", "The query is not percent-encoded UTF-8"),
        ]
    )
    func refused(_ address: String, _ expected: String) {
        let problem = #expect(throws: QueryProblem.self) { try Query(url: address) }
        #expect(problem.map { "\($0)" } == expected)
    }

    @Test("more parameters, longer values and more names than allowed are rejected") func limits() throws {
        let many = (0..<33).map { "p\($0)=1" }.joined(separator: "&")
        #expect(throws: QueryProblem(.tooManyParameters(32))) { try Query(url: many) }
        #expect(throws: QueryProblem(.tooLong(bytes: 8192), option: "p")) {
            try Query(url: "p=" + String(repeating: "x", count: 8193))
        }
        let names = Array(repeating: "a", count: 101).joined(separator: ",")
        #expect(throws: QueryProblem(.tooManyNames(100), at: 200, option: "$select")) {
            try Query(url: "$select=" + names)
        }
        #expect(try Query(url: "p=" + String(repeating: "x", count: 8192)).parameters.count == 1)
    }

    @Test("a parameter with a reserved name is rejected with the clients' error number", arguments: ["$x", "__x", ""])
    func reserved(_ name: String) {
        let problem = #expect(throws: QueryProblem.self) { try Query().parameter(name, "v") }
        #expect(problem?.code == -1106)
    }
}
