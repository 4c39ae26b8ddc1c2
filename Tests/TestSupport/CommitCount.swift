import Foundation

/// Returns the number of commits in the write-ahead log of a database.
///
/// Only the last frame of a commit contains the size of the database after the commit.
public func commits(inLogOf database: String) throws -> Int {
    let log = try Data(contentsOf: URL(fileURLWithPath: database + "-wal"))
    func number(_ offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    let page = number(8)
    let salt = log[16..<24]
    return stride(from: 32, to: log.count - 24, by: 24 + page).filter { frame in
        log[frame + 8..<frame + 16] == salt && number(frame + 4) != 0
    }.count
}
