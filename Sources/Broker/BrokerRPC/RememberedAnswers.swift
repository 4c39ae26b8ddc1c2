import Glibc
import Moments
import OAuth

/// Answers to `token.acquire` as they were written, each for one uid and exactly the same bytes of parameters.
///
/// It makes a cached token cheap: no parsing, no store, no actor. An answer is repeated only while the uid's generation
/// stands and its time has not ended; every change that may affect it raises the generation.
struct RememberedAnswers {
    private var entries: [Int: RememberedAnswer] = [:]
    /// The keys of each uid's answers, the oldest first.
    private var keys: [UInt32: [Int]] = [:]
    private let limit: Int
    private let limitPerUID: Int
    private let paramsLimit: Int

    /// Limits the answers to `limit`, `limitPerUID` of one uid, for parameters of at most `paramsLimit` bytes.
    init(limit: Int, perUID limitPerUID: Int, paramsLimit: Int) {
        self.limit = limit
        self.limitPerUID = limitPerUID
        self.paramsLimit = paramsLimit
    }

    /// Finds the answer to these parameters, if it is still valid.
    mutating func find(
        uid: UInt32,
        client: String?,
        params: UnsafeRawBufferPointer,
        now: Moment,
        generation: (UInt32) -> Int64
    ) -> RememberedAnswer? {
        let key = Self.key(uid: uid, client: client, params: params)
        guard let entry = entries[key], entry.uid == uid, entry.client == client,
            entry.params.count == params.count, let start = params.baseAddress,
            entry.params.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, start, params.count) == 0 } ?? false })
        else { return nil }
        guard entry.memo.generation == generation(uid), !entry.memo.usableUntil.hasEnded(at: now) else {
            remove(key)
            return nil
        }
        return entry
    }

    /// Remembers an answer in place of the uid's oldest if the uid has no room, or of any if there is no room at all.
    mutating func insert(_ entry: RememberedAnswer) {
        guard entry.params.count <= paramsLimit else { return }
        let key = entry.params.withUnsafeBytes { Self.key(uid: entry.uid, client: entry.client, params: $0) }
        remove(key)
        if let own = keys[entry.uid], own.count >= limitPerUID, let oldest = own.first {
            remove(oldest)
        } else if entries.count >= limit, let other = entries.keys.first {
            remove(other)
        }
        entries[key] = entry
        keys[entry.uid, default: []].append(key)
    }

    private mutating func remove(_ key: Int) {
        guard let uid = entries.removeValue(forKey: key)?.uid else { return }
        keys[uid]?.removeAll { $0 == key }
        if keys[uid]?.isEmpty == true { keys[uid] = nil }
    }

    /// Drops answers that can no longer be given, so that no token stays in memory longer than necessary.
    mutating func sweep(now: Moment, generation: (UInt32) -> Int64) {
        let over = entries.filter {
            $1.memo.generation != generation($1.uid) || $1.memo.usableUntil.hasEnded(at: now)
        }
        for key in over.keys { remove(key) }
    }

    private static func key(uid: UInt32, client: String?, params: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(uid)
        hasher.combine(client)
        hasher.combine(bytes: params)
        return hasher.finalize()
    }
}

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
