import Credentials
import Foundation
import OAuth
import Testing

/// An authenticator app, which shows each code once.
final class AuthenticatorApp {
    let key: AuthenticatorKey
    private var last: Int64 = 0

    /// An app with the key that a person has typed.
    init(typed: String) throws {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, held, bits) = ([UInt8](), 0, 0)
        for letter in typed.replacing(" ", with: "") {
            held = held << 5 | (try #require(letters.firstIndex(of: letter)))
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(held >> bits & 255))
            }
        }
        key = AuthenticatorKey(Secret(bytes: bytes))
    }

    /// An app that has scanned the step of a flow.
    convenience init(_ setup: JSONValue) throws {
        try self.init(typed: try #require(Self.node("secret", setup)))
    }

    static func node(_ name: String, _ flow: JSONValue) -> String? {
        flow["step"]?["nodes"]?.array?.first { $0["name"]?.string == name }?["value"]?.string
    }

    /// A code that is taken now: that of the next step, if this step's was used.
    func code() -> String {
        let now = AuthenticatorKey.step(at: Int64(Date().timeIntervalSince1970 * 1000))
        last = max(now, last + 1)
        return key.code(step: last)
    }
}
