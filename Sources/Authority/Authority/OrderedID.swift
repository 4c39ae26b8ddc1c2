import Foundation
import Moments

/// Bytes that nothing else has and that begin with the time, so that rows named by them lie in one place of the database
/// for as long as they are new, instead of a page for each.
enum OrderedID {
    /// The bytes of the time: milliseconds since 1970 UTC, the greatest first.
    private static let timeBytes = 6
    /// The characters of the time in base64url.
    static let timeCharacters = timeBytes / 3 * 4

    /// Makes one of `count` bytes.
    static func random(_ count: Int, at now: Moment) -> Data {
        let time = withUnsafeBytes(of: UInt64(max(now.wall, 0)).bigEndian) { Data($0.suffix(timeBytes)) }
        return time + RefreshToken.random(count - timeBytes)
    }
}
