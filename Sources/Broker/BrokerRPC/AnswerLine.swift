import BrokerAPI
import FlowModel
import OAuth
import Synchronization

/// The line sent in response to a received line: one response, or an array of responses.
///
/// The line can have at most 1 MiB, and must fit into the memory that is left for responses to the peer. A response
/// that does not fit is replaced by error 1013 with the same id. This way, every call in a batch gets a response.
struct AnswerLine {
    /// The number of bytes in a batch's line that are reserved for errors that replace responses.
    ///
    /// This is enough for all ids, in which escaping can turn one byte into three, and for the rest of each error.
    static let reserve = 3 * LineFramer.requestLimit + JSONRPCInput.batchLimit * 512

    private let memory: AnswerMemory
    private let isBatch: Bool
    private var bytes: [UInt8] = []
    /// The number of bytes already counted by ``AnswerMemory``.
    private var counted = 0

    /// Creates a line for one response, or for the responses of a batch.
    init(batch isBatch: Bool, memory: AnswerMemory) {
        self.isBatch = isBatch
        self.memory = memory
    }

    /// Appends a response, or the error that replaces it if it does not fit.
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

    /// Returns the complete line with its line break, or `nil` if there is no response.
    ///
    /// All of its bytes are counted by ``AnswerMemory``.
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

/// Counts the bytes of responses that are written but not yet read by their peer.
///
/// Each connection's counter is nested in that of its uid, which is nested in the counter of all uids. A call's task
/// reserves memory before it stores a response. This way, a peer that sends many requests but does not read the
/// responses can use only a limited amount of memory.
final class AnswerMemory: Sendable {
    private let limit: Int
    private let guaranteed: Int
    private let whole: AnswerMemory?
    private let bytes = Atomic(0)

    /// Creates a counter with a limit.
    ///
    /// Its bytes also count toward the limit of `whole`, which never refuses the first `guaranteed` bytes.
    init(limit: Int, within whole: AnswerMemory? = nil, guaranteed: Int = 0) {
        self.limit = limit
        self.guaranteed = guaranteed
        self.whole = whole
    }

    /// The number of bytes currently counted.
    var held: Int { bytes.load(ordering: .relaxed) }

    /// Whether there is not enough memory left for even the smallest response.
    var isFull: Bool { held >= limit || held >= guaranteed && whole?.isFull == true }

    /// Reserves memory for a response.
    ///
    /// - Returns: Whether there was enough memory. If not, nothing is reserved.
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

    /// Counts bytes that are stored regardless of the limit, such as the error about insufficient memory.
    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    /// Releases the memory for bytes that the peer has read or that were dropped.
    func release(_ count: Int) { add(-count) }
}
