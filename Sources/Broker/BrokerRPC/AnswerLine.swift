import BrokerAPI
import FlowModel
import OAuth
import Synchronization

/// The line that answers a request line, with one response or, for a batch, an array of responses.
///
/// If the line would exceed 1 MiB or the memory that remains for the peer's unread responses, error 1013
/// (`limit_exceeded`) replaces the response, so that every call in a batch gets a response.
struct AnswerLine {
    /// The number of bytes that a batch's line keeps free for errors, each of which replaces a response.
    ///
    /// The first term is enough for the ids of all requests, even if escaping triples their length, and the second term
    /// is enough for the rest of each error.
    static let reserve = 3 * LineFramer.requestLimit + JSONRPCInput.batchLimit * 512

    private let memory: AnswerMemory
    private let isBatch: Bool
    private var bytes: [UInt8] = []
    /// The number of bytes of this line that ``AnswerMemory`` already counts.
    private var counted = 0

    init(batch isBatch: Bool, memory: AnswerMemory) {
        self.isBatch = isBatch
        self.memory = memory
    }

    mutating func append(_ response: JSONRPCResponse) {
        if isBatch { bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ",")) }
        let encoded = response.bytes
        let room = LineFramer.responseLimit - (isBatch ? Self.reserve + bytes.count : 0)
        if encoded.count > room {
            replace(response, Text("refusal.answerTooLong"), "responseBytes")
        } else if !memory.reserve(encoded.count) {
            replace(response, Text("refusal.answersUnread"), "unreadBytes")
        } else {
            counted += encoded.count
            bytes.append(contentsOf: encoded)
        }
    }

    /// Returns the line, whose bytes ``AnswerMemory`` then counts completely, or `nil` if there is no response.
    consuming func finished() -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        bytes.append(contentsOf: (isBatch ? "]\n" : "\n").utf8)
        memory.add(bytes.count - counted)
        return bytes
    }

    private mutating func replace(_ response: JSONRPCResponse, _ text: Text, _ limit: String) {
        let refusal = Refusal(.limitExceeded, text).with(.limit, limit)
        let error = JSONRPCError(refusal, correlationID: .random())
        JSONRPCResponse(id: response.id, outcome: .failure(error)).append(to: &bytes)
    }
}

/// Counts the bytes of responses that a peer has not read yet, so that the peer cannot use up all memory.
///
/// The memory is reserved before a response is stored. A connection's counter is nested in the counter of its uid, and
/// that counter in the counter for all uids.
final class AnswerMemory: Sendable {
    private let limit: Int
    private let guaranteed: Int
    private let whole: AnswerMemory?
    private let bytes = Atomic(0)

    /// Creates a counter nested in `whole`, with `guaranteed` bytes that are available even if `whole` is full.
    init(limit: Int, within whole: AnswerMemory? = nil, guaranteed: Int = 0) {
        self.limit = limit
        self.guaranteed = guaranteed
        self.whole = whole
    }

    var held: Int { bytes.load(ordering: .relaxed) }

    var isFull: Bool { held >= limit || held >= guaranteed && whole?.isFull == true }

    func reserve(_ count: Int) -> Bool {
        let held = bytes.add(count, ordering: .relaxed).newValue
        guard held <= limit else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        if held <= guaranteed {
            whole?.add(count)
            return true
        }
        guard whole?.reserve(count) ?? true else {
            bytes.subtract(count, ordering: .relaxed)
            return false
        }
        return true
    }

    /// Counts bytes even if they exceed the limit, such as the bytes of an error that replaces a response.
    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    /// Stops counting bytes that the peer has read or that were dropped.
    func release(_ count: Int) { add(-count) }
}
