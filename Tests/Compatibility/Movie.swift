import Foundation
import OAuth
import Testing

/// A row of the tables that the query tests use.
///
/// All values follow from the index, so that each test can calculate the expected result.
struct Movie: Sendable {
    static let count = 240
    /// All movies, ordered by their ids.
    static let all = (0..<count).map(Movie.init)

    private static let articles = ["The ", "", "A ", "Été ", "My ", "Une ", "el "]
    private static let nouns = [
        "Lantern", "Harbor", "Orchard", "Clockmaker", "Café", "amber Road", "Zürich", "Night", "River", "Grandfather",
        "Stepfather", "M", "Élan", "Ox", "Godfather", "the Winter",
    ]
    private static let ratings: [String?] = ["R", nil, "PG-13", "G", "PG", "R", "PG-13"]

    let index: Int
    let title: String
    let year: Int
    let duration: Int
    let rating: String?
    let released: (year: Int, month: Int, day: Int)
    let isWinner: Bool

    private init(_ index: Int) {
        self.index = index
        title = Self.articles[index % 7] + Self.nouns[index % 16] + ["", " II", " III"][index / 112]
        year = 1930 + (index * 7) % 85
        duration = 60 + (index * 37) % 171
        // The films of 2001 have a rating, as in the client's end-to-end suite.
        // For a film without a rating, SQL and JavaScript disagree about `mpaaRating != 'R'`.
        rating = year == 2001 ? (index.isMultiple(of: 2) ? "R" : "PG") : Self.ratings[index % 7]
        let isSpecial = index == 20 || index == 21
        released =
            isSpecial
            ? (1994, 10, 14)
            : (year + (index.isMultiple(of: 9) ? 1 : 0), (index * 5) % 12 + 1, (index * 11) % 28 + 1)
        isWinner = index.isMultiple(of: 6)
    }

    /// The row's id in the table with text ids.
    var id: String { "Movie " + String(1000 + index).dropFirst() }

    /// The release date in ISO 8601 format.
    ///
    /// The alphabetical order of these strings is chronological.
    var releaseDate: String {
        func digits(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: count - "\(number)".count) + "\(number)"
        }
        return "\(digits(released.year, 4))-\(digits(released.month, 2))-\(digits(released.day, 2))T00:00:00.000Z"
    }

    /// The title with folded accents and case, for sorting.
    ///
    /// No two movies have the same folded title.
    var sortTitle: String { title.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil) }

    /// The columns and values that an insert sends.
    var values: [String: JSONValue] {
        [
            "title": .string(title), "year": .int(Int64(year)), "duration": .int(Int64(duration)),
            "mpaaRating": rating.map { .string($0) } ?? .null, "releaseDate": .string(releaseDate),
            "bestPictureWinner": .bool(isWinner),
        ]
    }

    /// Inserts all movies into the table with numeric ids and the table with text ids.
    static func fill(_ server: Server) async throws {
        for movie in all {
            var row = movie.values
            let number = try await server.client.table("intIdMovies").insert(.object(row))
            try #require(number.status == 201 && number.json["id"] == .int(Int64(movie.index + 1)), "\(number.text)")
            row["id"] = .string(movie.id)
            let text = try await server.client.table("movies").insert(.object(row))
            try #require(text.status == 201, "\(text.text)")
        }
    }
}
