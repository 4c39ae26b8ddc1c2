import Testing

/// A query as the client writes it, with its expected response.
struct QueryCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// The value of `$filter=` in the URL, or an empty string for all rows.
    let filter: String
    /// The other query options in the URL, such as `$top`.
    let options: String
    /// The expected rows, in order.
    let expected: [Movie]
    /// The number of rows that match the filter, or `nil` if the query does not request this number.
    var total: Int?
    /// The selected columns, or `nil` for all columns.
    var columns: [String]?

    var testDescription: String { name }

    /// The text after `?` in the URL.
    var query: String {
        [filter.isEmpty ? "" : "$filter=\(filter)", options].filter { !$0.isEmpty }.joined(separator: "&")
    }

    init(
        _ name: String,
        _ filter: String = "",
        _ options: String = "",
        where isWanted: (Movie) -> Bool = { _ in true },
        by areInOrder: ((Movie, Movie) -> Bool)? = nil,
        skip: Int = 0,
        top: Int = 50,
        counts: Bool = false,
        columns: [String]? = nil
    ) {
        self.name = name
        self.filter = filter
        self.options = options
        self.columns = columns
        let wanted = Movie.all.filter(isWanted)
        let sorted = areInOrder.map { order in
            wanted.sorted { order($0, $1) || (!order($1, $0) && $0.index < $1.index) }
        }
        total = counts ? wanted.count : nil
        expected = Array((sorted ?? wanted).dropFirst(skip).prefix(top))
    }

    /// All queries of the client's end-to-end suite that the client sends to the server.
    static let suite = numbers + texts + columnsOfText + mathematics + dates + flags + pages + orders + selections

    private static let numbers = [
        QueryCase("between two years, without them", "((year gt 1989) and (year lt 2000))") {
            $0.year > 1989 && $0.year < 2000
        },
        QueryCase("between two years, with them", "((year ge 1990) and (year le 1999))") {
            $0.year >= 1990 && $0.year <= 1999
        },
        QueryCase(
            "one decade or another",
            "(((year ge 1930) and (year lt 1940)) or ((year ge 1950) and (year lt 1960)))"
        ) { (1930..<1940).contains($0.year) || (1950..<1960).contains($0.year) },
        QueryCase(
            "a quotient that is no integer, and what is not equal",
            "(((year div 1000.5) eq 2) and (mpaaRating ne 'R'))"
        ) { $0.year == 2001 && $0.rating != "R" },
        QueryCase(
            "sums and differences",
            "((((year sub 1900) ge 80) and ((year add 10) lt 2000)) and (duration lt 120))"
        ) { $0.year >= 1980 && $0.year < 1990 && $0.duration < 120 },
        QueryCase("columns equal to those of an object", "((year eq 2000) and (mpaaRating eq 'R'))") {
            $0.year == 2000 && $0.rating == "R"
        },
    ]

    private static let texts = [
        QueryCase(
            "texts that begin with a word",
            "(indexof(title,'The') eq 0)",
            "$top=100",
            where: { $0.title.hasPrefix("The") },
            top: 100
        ),
        QueryCase("a text in upper case", "(toupper(title) eq 'THE%20GODFATHER')") { $0.title == "The Godfather" },
        QueryCase("a text in lower case", "(tolower(title) eq 'my%20river')") { $0.title == "My River" },
        QueryCase(
            "texts that begin with a word, in lower case",
            "(indexof(tolower(title),'the') eq 0)",
            "$top=100",
            where: { $0.title.lowercased().hasPrefix("the") },
            top: 100
        ),
        QueryCase(
            "texts that begin with a word, in upper case",
            "(indexof(toupper(title),'THE') eq 0)",
            "$top=100",
            where: { $0.title.uppercased().hasPrefix("THE") },
            top: 100
        ),
        QueryCase(
            "texts of 6 characters at most",
            "(length(title) le 6)",
            "$top=100",
            where: { $0.title.count <= 6 },
            top: 100
        ),
        QueryCase(
            "texts of 12 characters at most",
            "(length(title) le 12)",
            "$top=100",
            where: { $0.title.count <= 12 },
            top: 100
        ),
        QueryCase("texts that contain a letter with an accent", "(indexof(title,'%C3%A9') ge 0)") {
            $0.title.contains("é")
        },
        QueryCase(
            "what is left when a word is taken out and blanks are cut off",
            "(indexof(trim(replace(title,'The%20','')),'Godfather') eq 0)"
        ) { $0.title.replacing("The ", with: "").hasPrefix("Godfather") },
        QueryCase("the last letter, by the length", "(substring(title,(length(title) sub 1),1) eq 'r')") {
            $0.title.hasSuffix("r")
        },
        QueryCase("letters from the middle", "(substring(title,7,6) eq 'father')") {
            $0.title.dropFirst(7).hasPrefix("father")
        },
    ]

    private static let columnsOfText = [
        QueryCase(
            "a text and a number",
            "((mpaaRating eq 'PG-13') and (year ge 1980))",
            "$top=100",
            where: { $0.rating == "PG-13" && $0.year >= 1980 },
            top: 100
        ),
        QueryCase("nothing in a column", "((mpaaRating eq null) and (year ge 1980))") {
            $0.rating == nil && $0.year >= 1980
        },
        QueryCase(
            "something in a column",
            "((mpaaRating ne null) and (year lt 1970))",
            "$top=200",
            where: { $0.rating != nil && $0.year < 1970 },
            top: 200
        ),
        QueryCase(
            "one of several texts",
            "((year ge 2000) and (((mpaaRating eq 'G') or (mpaaRating eq 'PG')) or (mpaaRating eq 'PG-13')))"
        ) { $0.year >= 2000 && ["G", "PG", "PG-13"].contains($0.rating) },
    ]

    private static let mathematics = [
        QueryCase(
            "a quotient rounded down",
            "(floor((duration div 60)) ge 3)",
            "$top=200",
            where: { $0.duration >= 180 },
            top: 200
        ),
        QueryCase(
            "a quotient rounded up",
            "(ceiling((duration div 60.5)) eq 2)",
            "$top=200",
            where: { (61...121).contains($0.duration) },
            top: 200
        ),
        QueryCase(
            "a quotient rounded to the nearest",
            "(round((duration div 60.5)) eq 3)",
            "$top=200",
            where: { (Double($0.duration) / 60.5).rounded() == 3 },
            top: 200
        ),
    ]

    private static let dates = [
        QueryCase(
            "dates between two, one of them before 1970",
            "((releaseDate gt datetime'1969-12-31T23:59:59.000Z') and (releaseDate lt datetime'1980-01-01T00:00:00.000Z'))"
        ) { (1970..<1980).contains($0.released.year) },
        QueryCase(
            "dates from one to another",
            "((releaseDate ge datetime'1980-01-01T00:00:00.000Z') and (releaseDate le datetime'1989-12-31T23:59:59.000Z'))"
        ) { (1980..<1990).contains($0.released.year) },
        QueryCase("a date itself", "(releaseDate eq datetime'1994-10-14T00:00:00.000Z')") {
            $0.releaseDate == "1994-10-14T00:00:00.000Z"
        },
        QueryCase("the month of dates, counted from 0", "((month(releaseDate) sub 1) eq 10)") {
            $0.released.month == 11
        },
        QueryCase("the day of dates", "(day(releaseDate) eq 1)") { $0.released.day == 1 },
        QueryCase(
            "the year of dates beside a column named year",
            "(year(releaseDate) ne year)",
            "$top=100",
            where: { $0.released.year != $0.year },
            top: 100
        ),
    ]

    private static let flags = [
        QueryCase("what is true", "((bestPictureWinner eq true) and (year lt 1950))") { $0.isWinner && $0.year < 1950 },
        QueryCase("what is not false", "(not (bestPictureWinner eq false) and (year ge 2000))") {
            $0.isWinner && $0.year >= 2000
        },
        QueryCase("what differs from false", "((bestPictureWinner ne false) and (year ge 2000))") {
            $0.isWinner && $0.year >= 2000
        },
    ]

    private static let pages = [
        QueryCase("more rows than there are", "", "$top=500", top: 500),
        QueryCase("behind the last row", "", "$skip=500", skip: 500),
        QueryCase("the first ten", "", "$top=10", top: 10),
        QueryCase("the last ten", "", "$orderby=id&$skip=\(Movie.count - 10)", skip: Movie.count - 10),
        QueryCase(
            "the second ten by title, and how many there are",
            "",
            "$orderby=title&$skip=10&$top=10&$inlinecount=allpages",
            by: { $0.sortTitle < $1.sortTitle },
            skip: 10,
            top: 10,
            counts: true
        ),
        QueryCase(
            "the second ten of some by date, the newest first, and how many of them there are",
            "(bestPictureWinner eq true)",
            "$orderby=releaseDate desc&$skip=10&$top=10&$inlinecount=allpages",
            where: { $0.isWinner },
            by: { $0.releaseDate > $1.releaseDate },
            skip: 10,
            top: 10,
            counts: true
        ),
    ]

    private static let orders = [
        QueryCase(
            "by date, the newest first, then by title",
            "",
            "$orderby=releaseDate desc,title&$top=50",
            by: { ($1.releaseDate, $0.sortTitle) < ($0.releaseDate, $1.sortTitle) }
        ),
        QueryCase(
            "by a number, then by title",
            "(year ge 1970)",
            "$orderby=duration,title&$top=30",
            where: { $0.year >= 1970 },
            by: { ($0.duration, $0.sortTitle) < ($1.duration, $1.sortTitle) },
            top: 30
        ),
        QueryCase(
            "words of an address, written by hand",
            "((year ge 1980) and (year le 1989))",
            "$top=3&$skip=2&$orderby=title asc",
            where: { (1980...1989).contains($0.year) },
            by: { $0.sortTitle < $1.sortTitle },
            skip: 2,
            top: 3
        ),
    ]

    private static let selections = [
        QueryCase(
            "one column",
            "(year ge 2000)",
            "$top=200&$select=title",
            where: { $0.year >= 2000 },
            top: 200,
            columns: ["title"]
        ),
        QueryCase(
            "three columns, in an order by others",
            "((year ge 1990) and (year lt 2000))",
            "$orderby=releaseDate,title&$top=200&$select=title,bestPictureWinner,duration",
            where: { (1990..<2000).contains($0.year) },
            by: { ($0.releaseDate, $0.sortTitle) < ($1.releaseDate, $1.sortTitle) },
            top: 200,
            columns: ["title", "bestPictureWinner", "duration"]
        ),
    ]
}
