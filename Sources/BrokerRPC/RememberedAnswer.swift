import OAuth

/// An answer to `token.acquire` that may be given again: to the same uid, as the same client, for the same parameters.
///
/// A class, so that finding one copies nothing.
final class RememberedAnswer: Sendable {
    let uid: UInt32
    /// The client that the call was made as, by the connection's `broker.hello` at that time.
    let client: String?
    let params: [UInt8]
    let memo: MethodResult.Memo
    /// The bytes from behind the id to before the correlation id.
    let before: [UInt8]
    /// The bytes from behind the correlation id to the end of the line.
    let after: [UInt8]

    /// An answer as it will be written again: from the cache, and with another correlation id each time.
    init?(
        uid: UInt32,
        client: String?,
        params: [UInt8],
        memo: MethodResult.Memo,
        result: JSONValue,
        correlationID: CorrelationID
    ) {
        guard var answer = result.object, var token = answer["token"]?.object else { return nil }
        token["fromCache"] = true
        answer["token"] = .object(token)
        var bytes = Array(",\"result\":".utf8)
        JSONValue.object(answer).append(to: &bytes)
        bytes.append(contentsOf: "}\n".utf8)
        // Claims stand before it and texts escape their quotation marks, so the last one is the token's own.
        let member = Array("\"correlationId\":\"\(correlationID)\"".utf8)
        guard let place = bytes.lastRange(of: member) else { return nil }
        self.uid = uid
        self.client = client
        self.params = params
        self.memo = memo
        before = Array(bytes[..<(place.upperBound - 37)])
        after = Array(bytes[(place.upperBound - 1)...])
    }
}

extension [UInt8] {
    /// Where `other` stands for the last time.
    fileprivate func lastRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        return (0...(count - other.count)).last { self[$0..<($0 + other.count)].elementsEqual(other) }
            .map { $0..<($0 + other.count) }
    }
}
