extension Secret {
    /// True for a token that can stand behind `Bearer` in a header field (RFC 6750 §2.1).
    public var isBearerToken: Bool {
        count > 0
            && revealBytes().allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~+/=".utf8.contains(byte)
                }
            }
    }
}
