import OAuth

/// An answer to `token.acquire` that may be repeated: to the same uid, for the same client, to the same parameters.
///
/// It is a class, so that finding one copies nothing.
final class RememberedAnswer: Sendable {
    let uid: UInt32
    /// The client of the call, as the connection's `broker.hello` had named it.
    let client: String?
    let params: [UInt8]
    let memo: MethodResult.Memo
    /// The bytes from after the id to before the correlation id.
    let before: [UInt8]
    /// The bytes from after the correlation id to the end of the line.
    let after: [UInt8]

    /// Makes an answer to be written again: from the cache, and with another correlation id each time.
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
        // Claims stand before it and texts escape their quotation marks, so the last match is the token's own.
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
    /// The last occurrence of `other`; nil if there is none.
    fileprivate func lastRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        return (0...(count - other.count)).last { self[$0..<($0 + other.count)].elementsEqual(other) }
            .map { $0..<($0 + other.count) }
    }
}
