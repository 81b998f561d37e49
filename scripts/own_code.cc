// A check for clang-tidy 16 that finds nothing: it makes the other checks pass over declarations in
// system headers, of which clang-tidy reports nothing anyway: they are half of its time or more.
// clang-tidy 22 does that by itself. scripts/check compiles this and loads it.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>

#include <vector>

namespace {

using clang::ast_matchers::MatchFinder;

class OwnCode final : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl().bind("unit"), this);
  }

  // The unit is the first node that is visited, and its declarations come next.
  void check(const MatchFinder::MatchResult& result) override {
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : result.Context->getTranslationUnitDecl()->noload_decls()) {
      if (!result.SourceManager->isInSystemHeader(declaration->getLocation())) {
        own.push_back(declaration);
      }
    }
    result.Context->setTraversalScope(own);
  }
};

class Module final : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<OwnCode>("sluice-own-code");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> registration("sluice-module", "");

}  // namespace
