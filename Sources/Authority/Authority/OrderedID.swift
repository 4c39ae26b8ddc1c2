import Foundation
import Moments

/// Creates unique ids that begin with their creation time, so that inserting rows changes fewer database pages.
enum OrderedID {
    /// The number of bytes that contain the time, in milliseconds since 1970 UTC, big-endian.
    private static let timeBytes = 6
    static let timeCharacters = timeBytes / 3 * 4

    static func random(_ count: Int, at now: Moment) -> Data {
        let time = withUnsafeBytes(of: UInt64(max(now.wall, 0)).bigEndian) { Data($0.suffix(timeBytes)) }
        return time + RefreshToken.random(count - timeBytes)
    }
}
