import Credentials
import Foundation
import OAuth
import Testing

/// An authenticator app that shows each code once.
final class AuthenticatorApp {
    let key: AuthenticatorKey
    private var last: Int64 = 0

    /// Creates an app with a Base32 key that the user has typed in.
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

    /// Creates an app with the key that the setup step of a flow shows.
    convenience init(_ setup: JSONValue) throws {
        try self.init(typed: try #require(Self.node("secret", setup)))
    }

    static func node(_ name: String, _ flow: JSONValue) -> String? {
        flow["step"]?["nodes"]?.array?.first { $0["name"]?.string == name }?["value"]?.string
    }

    /// Returns a currently valid code.
    ///
    /// If the app has already shown the code of the current time step, the code is that of a later time step.
    func code() -> String {
        let now = AuthenticatorKey.step(at: Int64(Date().timeIntervalSince1970 * 1000))
        last = max(now, last + 1)
        return key.code(step: last)
    }
}
