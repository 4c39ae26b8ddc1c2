import Foundation
import OAuth

/// The machine's random id, by which an authority distinguishes equal uids on different machines.
public enum MachineID {
    /// The name of the file in the state directory.
    public static let fileName = "machine-id"

    /// Returns this machine's id, which is created if it does not exist.
    public static func load(stateDirectory: String) throws(StoreError) -> String {
        let directory = try StateDirectory(stateDirectory)
        if let id = try read(directory) { return id }
        do {
            try directory.makePrivateFile(fileName, Data((CorrelationID.random().description + "\n").utf8))
        } catch  where error.code == .conflict {
            // If another process created the id first, both processes use that id.
        }
        guard let id = try read(directory) else {
            throw StoreError(.unreadable, "\(directory.path(fileName)) was removed during startup")
        }
        return id
    }

    private static func read(_ directory: StateDirectory) throws(StoreError) -> String? {
        guard let bytes = try directory.readPrivateFile(fileName) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let id = CorrelationID(text) else {
            throw StoreError(.unreadable, "\(directory.path(fileName)) does not contain a machine id")
        }
        return id.description
    }
}
