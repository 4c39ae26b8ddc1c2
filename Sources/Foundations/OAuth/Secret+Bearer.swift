import Foundation

extension Secret {
    /// True for a token that can stand behind `Bearer` in a header field (RFC 6750 §2.1).
    public var isBearerToken: Bool {
        count > 0 && revealBytes().withUnsafeBytes { $0.allSatisfy(Self.isOfBearerToken) }
    }

    private static func isOfBearerToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
