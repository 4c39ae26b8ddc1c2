public import FlowModel
import Foundation
public import Storage
import Tokens

extension Authority {
    /// Runs `body`; a failure of the store becomes a refusal.
    public static func storing<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as StoreError {
            throw Refusal(error)
        } catch let error as TokenError {
            throw Refusal(.storageFailed, "a token could not be signed").because("\(error)")
        } catch let error as DecodingError {
            throw Refusal(.storageFailed, "a request that was kept could not be read").because("\(error)")
        }
    }
}

extension Refusal {
    /// The refusal of what the store could not do.
    public init(_ error: StoreError) {
        let refusal: Refusal =
            switch error.code {
            case .consumed: Refusal(.interactionRequired, "this sign-in was used already; ask again")
            case .expired, .notFound, .signedOut: Refusal(.interactionRequired, "this sign-in has ended; sign in again")
            case .disabled: Refusal(.interactionRequired, "this account can no longer sign in")
            case .limitExceeded: Refusal(.limitExceeded, "too much is under way; try again").retrying(afterMs: 1_000)
            case .busy: Refusal(.limitExceeded, "the store is busy; try again").retrying(afterMs: 1_000)
            case .full: Refusal(.storageFailed, "the disk is full; nothing was changed")
            case .readOnly: Refusal(.storageFailed, "the store cannot be written; nothing was changed")
            default: Refusal(.storageFailed, "the store failed; nothing was changed")
            }
        self = refusal.because(error.message)
    }
}
