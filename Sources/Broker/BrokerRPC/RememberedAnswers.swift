import Glibc
import Moments
import OAuth

/// A cache of encoded responses to `token.acquire` calls.
///
/// A response is reused for calls with the same uid, client and parameters, until its deadline passes or the value of
/// `TokenDesk.generation(uid:)` changes.
struct RememberedAnswers {
    private var entries: [Int: RememberedAnswer] = [:]
    /// The keys of each uid's cached responses, oldest first.
    private var keys: [UInt32: [Int]] = [:]
    private let limit: Int
    private let limitPerUID: Int
    private let paramsLimit: Int

    init(limit: Int, perUID limitPerUID: Int, paramsLimit: Int) {
        self.limit = limit
        self.limitPerUID = limitPerUID
        self.paramsLimit = paramsLimit
    }

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

    /// Caches a response.
    ///
    /// If the uid's limit is reached, this removes the uid's oldest response; if the cache is full, an arbitrary one.
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

    /// Drops responses that must no longer be sent, so that tokens do not stay in memory longer than necessary.
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

/// A reusable response to `token.acquire`, as a class so that a lookup does not copy it.
final class RememberedAnswer: Sendable {
    let uid: UInt32
    /// The client that the connection's `broker.hello` call specified, or `nil` if there was no such call.
    let client: String?
    let params: [UInt8]
    let memo: MethodResult.Memo
    /// The bytes of the response between the request's id and the correlation id.
    let before: [UInt8]
    /// The bytes of the response after the correlation id, to the end of the line.
    let after: [UInt8]

    /// Creates a cached response in which each reuse inserts a new correlation id in place of `correlationID`.
    ///
    /// Returns `nil` if `result` contains no token with this correlation id.
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
        // Members are sorted by name, so a match in the token's `claims` precedes the token's own `correlationId`. A
        // string cannot contain a match, because its quotation marks are escaped.
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
    fileprivate func lastRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        return (0...(count - other.count)).last { self[$0..<($0 + other.count)].elementsEqual(other) }
            .map { $0..<($0 + other.count) }
    }
}
