import Foundation

/// The pages of an SQLite database that define its tables and their root pages (SQLite file format §1.3, §1.6, §2.6).
struct SchemaPages {
    private let database: Data
    private let size: Int
    /// The numbers of the schema pages, counted from 1.
    private let numbers: [Int]

    /// Finds the schema pages in a tree of at most two levels, or returns `nil` if the data is not a database.
    init?(_ database: Data) {
        guard database.count >= 512 else { return nil }
        let size = Int(database[16]) << 8 | Int(database[17])
        guard size >= 512, database.count.isMultiple(of: size) else { return nil }
        var numbers = [1]
        switch database[100] {
        // Page 1 is a leaf page, so it contains the whole schema.
        case 13: break
        // Page 1 is an interior page. Each cell offset after the 12-byte header leads to a child page number.
        case 5:
            for cell in 0..<Self.number(database, at: 103, bytes: 2) {
                numbers.append(Self.number(database, at: Self.number(database, at: 112 + 2 * cell, bytes: 2), bytes: 4))
            }
            numbers.append(Self.number(database, at: 108, bytes: 4))
        default: return nil
        }
        guard numbers.allSatisfy({ $0 * size <= database.count }) else { return nil }
        self.database = database
        self.size = size
        self.numbers = numbers
    }

    /// Returns a copy of the database `other` with these schema pages, or `nil` if `other` is too short.
    func over(_ other: Data) -> Data? {
        guard numbers.allSatisfy({ $0 * size <= other.count }) else { return nil }
        var bytes = other
        for number in numbers {
            let page = (number - 1) * size..<number * size
            bytes.replaceSubrange(page, with: database.subdata(in: page))
        }
        // The copied page 1 contains the database header, whose page count must match `other`.
        let count = UInt32(other.count / size).bigEndian
        bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: count) { Data($0) })
        return bytes
    }

    private static func number(_ data: Data, at place: Int, bytes: Int) -> Int {
        data.subdata(in: place..<min(place + bytes, data.count)).reduce(0) { $0 << 8 | Int($1) }
    }
}
