import numpy as np
import pytest

from covey.errors import ParameterError
from covey.synth.survey import survey


def test_the_same_seed_draws_the_same_survey():
    one = survey(respondents=50, issues=5, answered=0.8, seed=1)
    assert one == survey(respondents=50, issues=5, answered=0.8, seed=1)
    assert one != survey(respondents=50, issues=5, answered=0.8, seed=2)


def test_profiles_make_people_alike():
    alike = survey(respondents=200, issues=6, profiles=1, noise=0.0, seed=1)
    columns = alike.only(~alike.sensitive).codes.reshape(200, 5)
    assert (columns == columns[0]).all()
    assert len(np.unique(survey(respondents=200, issues=6, profiles=0, seed=1).codes)) == 6
    assert survey(respondents=1, seed=1).n == 1


def test_bad_parameters():
    with pytest.raises(ParameterError, match="noise"):
        survey(noise=2)
