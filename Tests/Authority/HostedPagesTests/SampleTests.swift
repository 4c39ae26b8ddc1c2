import Foundation
import PageSamples
import Testing

@testable import HostedPages

@Suite(.timeLimit(.minutes(1))) struct SampleTests {
    @Test("a page with its sheet, icon and script is smaller than 30 kB") func weight() throws {
        let shared = PageAsset.shared.reduce(0) { $0 + $1.bytes.count }
        for sample in try PageSample.all() {
            #expect(sample.html.utf8.count + shared < 30_000, "\(sample.name)")
        }
    }

    @Test("equal pages have equal HTML") func deterministic() throws {
        let first = try PageSample.all().map(\.html)
        #expect(try PageSample.all().map(\.html) == first)
    }

    @Test("no page has inline styles, scripts or handlers, or loads anything from another host") func own() throws {
        let forbidden = try Regex(
            #"<style|style=|<script(?! src="\./(answer|code)-)|\son[a-z]+=|<link[^>]*https?:|<img(?! src="\./logo-)|@import|javascript:"#
        )
        for sample in try PageSample.all() {
            #expect(sample.html.firstMatch(of: forbidden) == nil, "\(sample.name)")
        }
        let sheet = String(decoding: PageAsset.sheet.bytes, as: UTF8.self)
        #expect(!sheet.contains("url(") && !sheet.contains("@import"))
    }

    @Test("ids are unique, and every reference has its element") func references() throws {
        for sample in try PageSample.all() {
            let html = sample.html
            let ids = html.matches(of: #/ id="([^"]*)"/#).map { String($0.1) }
            #expect(Set(ids).count == ids.count, "\(sample.name): \(ids)")
            let named = html.matches(of: #/ (?:for|form|aria-describedby|aria-labelledby)="([^"]*)"/#)
                .flatMap { $0.1.split(separator: " ").map(String.init) }
            let targets = html.matches(of: #/href="#([^"]*)"/#).map { String($0.1) }
            #expect(Set(named + targets).isSubset(of: ids), "\(sample.name)")
        }
    }

    @Test("every sentence of a page exists, and templates contain only escaped values") func filled()
        throws
    {
        for sample in try PageSample.all() {
            #expect(!sample.html.contains("{{") && !sample.html.contains("}}"), "\(sample.name)")
            #expect(
                sample.html.firstMatch(of: #/>(step|node|action|error|account)\.[a-zA-Z.]+</#) == nil,
                "\(sample.name)"
            )
        }
        for (name, source) in Templates.sources {
            // Values use three braces because they are already escaped. With two braces, swift-mustache would escape
            // them again.
            #expect(source.firstMatch(of: #/(^|[^{])\{\{[^#^\/>{]/#) == nil, "\(name)")
        }
    }

    @Test("a page in Arabic is right to left, and no page in another language is") func direction() throws {
        let samples = try PageSample.all().map { ($0.name, $0.html.contains(#"<html lang="ar" dir="rtl">"#), $0.html) }
        #expect(samples.filter(\.1).map(\.0) == ["sign-in-ar"])
        for (name, isArabic, html) in samples where !isArabic {
            #expect(html.firstMatch(of: #/<html lang="[^"]+" dir="ltr">/#) != nil, "\(name)")
        }
    }

    @Test("the form of every page carries the token, and a step's form its step and its submission") func tokens()
        throws
    {
        var count = 0
        for sample in try PageSample.all() where sample.name != "answer" {
            let forms = sample.html.matches(of: #/<form [^>]*>(?s:.*?)</form>/#).map { String($0.0) }
            count += forms.count
            for form in forms {
                #expect(form.contains(#"name="_csrf" value="c-5u0Lx""#), "\(sample.name)")
                #expect(form.contains(#"name="_submission" value="s-9fB2""#), "\(sample.name)")
            }
        }
        #expect(count > 10)
    }
}
