extension String {
    /// Reads UTF-8; nil for bytes that are none.
    ///
    /// A repair never leaves the bytes as they were, and comparing them takes a fraction of what validating them would.
    public init?(utf8 bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
